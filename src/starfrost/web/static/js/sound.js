// Sounds for dice and for the reader's turn. Silent unless the reader has switched sound on.

let context = null;

function note(frequency, start, length, gain, type = "sine") {
  const oscillator = context.createOscillator();
  const volume = context.createGain();
  oscillator.type = type;
  oscillator.frequency.value = frequency;
  volume.gain.setValueAtTime(0, context.currentTime + start);
  volume.gain.linearRampToValueAtTime(gain, context.currentTime + start + 0.01);
  volume.gain.exponentialRampToValueAtTime(0.0001, context.currentTime + start + length);
  oscillator.connect(volume).connect(context.destination);
  oscillator.start(context.currentTime + start);
  oscillator.stop(context.currentTime + start + length);
}

// Notes as pitch, start, length, loudness and, where it is not a sine, the wave.
const TUNES = {
  roll: [0, 0.06, 0.11, 0.19, 0.26, 0.36].map((at, i) => [190 + 60 * (i % 3), at, 0.06, 0.12, "triangle"]),
  turn: [
    [660, 0, 0.5, 0.07],
    [880, 0.12, 0.5, 0.07],
    [1320, 0.24, 0.5, 0.07],
  ],
  win: [
    [523, 0, 0.7, 0.08],
    [659, 0.12, 0.7, 0.08],
    [784, 0.24, 0.7, 0.08],
    [1047, 0.38, 0.7, 0.08],
  ],
};

// Plays a tune by its name, or notes.
export function play(tune) {
  if (document.documentElement.dataset.sound !== "on") return;
  try {
    context ??= new AudioContext();
    if (context.state === "suspended") context.resume();
    for (const sound of TUNES[tune] ?? tune) note(...sound);
  } catch {
    // A browser without sound stays silent.
  }
}
