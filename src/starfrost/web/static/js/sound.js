// Sounds, made from noise and tones. Silent unless the reader has switched sound on.

let context = null;
let hiss = null;

function shape(at, length, gain) {
  const volume = context.createGain();
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(gain, at + 0.004);
  volume.gain.exponentialRampToValueAtTime(0.0001, at + length);
  volume.connect(context.destination);
  return volume;
}

function tone(at, frequency, length, gain, type = "sine", end = frequency) {
  const oscillator = context.createOscillator();
  oscillator.type = type;
  oscillator.frequency.setValueAtTime(frequency, at);
  oscillator.frequency.exponentialRampToValueAtTime(end, at + length);
  oscillator.connect(shape(at, length, gain));
  oscillator.start(at);
  oscillator.stop(at + length);
}

function noise(at, frequency, length, gain, width = 1.5) {
  if (!hiss) {
    hiss = context.createBuffer(1, context.sampleRate, context.sampleRate);
    const samples = hiss.getChannelData(0);
    for (let i = 0; i < samples.length; i++) samples[i] = Math.random() * 2 - 1;
  }
  const source = context.createBufferSource();
  const filter = context.createBiquadFilter();
  source.buffer = hiss;
  filter.type = "bandpass";
  filter.frequency.value = frequency;
  filter.Q.value = width;
  source.connect(filter).connect(shape(at, length, gain));
  source.start(at, Math.random() * 0.5, length);
}

const notes = (at, frequencies, step, length, gain, type) =>
  frequencies.forEach((frequency, i) => {
    tone(at + i * step, frequency, length, gain, type);
    tone(at + i * step, frequency * 2, length * 0.6, gain / 4);
  });

const SOUNDS = {
  // A die hits the table: a click of the edge and a knock of the wood.
  clack(at, loud = 1) {
    noise(at, 2400 + 1800 * Math.random(), 0.035, 0.5 * loud, 2.5);
    tone(at, 320 + 160 * Math.random(), 0.07, 0.16 * loud, "triangle", 120);
  },
  score: (at) => notes(at, [784, 1175], 0.08, 0.35, 0.09, "triangle"),
  freeze(at) {
    noise(at, 6500, 0.5, 0.09, 0.8);
    notes(at, [2093, 2637, 3136, 3951], 0.055, 0.5, 0.035);
  },
  doubled(at) {
    notes(at, [659, 880, 1109, 1319, 1760], 0.07, 0.6, 0.07, "triangle");
    noise(at + 0.3, 9000, 0.6, 0.05, 0.6);
  },
  last(at) {
    for (let beat = 0; beat < 6; beat++)
      tone(at + 0.09 * beat - 0.002 * beat ** 2, 98, 0.14, 0.1 + 0.03 * beat, "sine", 62);
  },
  turn: (at) => notes(at, [660, 880, 1320], 0.12, 0.5, 0.06),
  win: (at) => notes(at, [523, 659, 784, 1047, 1319], 0.13, 0.8, 0.08, "triangle"),
  loss: (at) => notes(at, [440, 392, 330], 0.2, 0.7, 0.06, "triangle"),
};

/** Play a sound by its name, some seconds from now. */
export function play(name, late = 0, ...how) {
  if (document.documentElement.dataset.sound !== "on") return;
  try {
    context ??= new AudioContext();
    if (context.state === "suspended") context.resume();
    SOUNDS[name](context.currentTime + late, ...how);
  } catch {
    // A browser without sound stays silent.
  }
}
