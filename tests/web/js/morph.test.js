import assert from "node:assert/strict";
import { test } from "node:test";
import { morph } from "../../../src/starfrost/web/static/js/morph.js";
import { open } from "./page.js";

/** Morph a <main> with the first content into the second one; return it. */
function morphed(before, after, options) {
  const document = open(`<main>${before}</main>`);
  const main = document.querySelector("main");
  const wanted = document.createElement("main");
  wanted.innerHTML = after;
  return { main, keep: (selector) => main.querySelector(selector), run: () => morph(main, wanted, options) };
}

test("text, attributes and elements become those of the answer", () => {
  const page = morphed('<p class="old" title="x">one</p><i>gone</i>', '<p class="new">two <b>three</b></p>');
  page.run();
  assert.equal(page.main.innerHTML, '<p class="new">two <b>three</b></p>');
});

test("an element that keeps its id is the same element, also in another place", () => {
  const page = morphed('<div id="a">1</div><div id="b">2</div>', '<div id="b">3</div><p>new</p><div id="a">4</div>');
  const [a, b] = [page.keep("#a"), page.keep("#b")];
  page.run();
  assert.equal(page.main.innerHTML, '<div id="b">3</div><p>new</p><div id="a">4</div>');
  assert.equal(page.keep("#a"), a);
  assert.equal(page.keep("#b"), b);
});

test("what is not wanted goes before an element that stays, so that the element is not moved", () => {
  const page = morphed('<p id="first">x</p><div id="card">1</div>', '<div id="card" class="frozen">1</div>');
  const card = page.keep("#card");
  const moves = [];
  page.main.insertBefore = (node) => moves.push(node);
  page.run();
  assert.deepEqual(moves, []);
  assert.equal(page.main.firstChild, card);
  assert.equal(card.className, "frozen");
});

test("an id on another kind of element is another element", () => {
  const page = morphed('<div id="a">1</div>', '<button id="a">1</button>');
  page.run();
  assert.equal(page.main.innerHTML, '<button id="a">1</button>');
});

test("the server's choice replaces a person's by default", () => {
  const page = morphed(
    '<input type="radio" name="card" id="x"><input type="radio" name="card" id="y" checked>',
    '<input type="radio" name="card" id="x" checked=""><input type="radio" name="card" id="y">',
  );
  page.run();
  assert.deepEqual([page.keep("#x").checked, page.keep("#y").checked], [true, false]);
});

test("what a person picked or typed stays where the question is the same", () => {
  const form =
    '<input type="checkbox" id="die"><input type="text" id="name" value="server"><input type="hidden" id="key" value="1">';
  const page = morphed(form, form.replaceAll("<input", '<input class="again"').replace('value="1"', 'value="2"'), {
    keepInputs: true,
  });
  page.keep("#die").checked = true;
  page.keep("#name").value = "Anna";
  page.run();
  assert.equal(page.keep("#die").checked, true);
  assert.equal(page.keep("#name").value, "Anna");
  assert.equal(page.main.querySelectorAll(".again").length, 3);
  assert.equal(page.keep("#key").value, "2", "hidden fields are the server's");
});

test("what a person has opened stays open", () => {
  const page = morphed('<details id="log"><p>1</p></details>', '<details id="log" class="new"><p>2</p></details>');
  page.keep("#log").setAttribute("open", "");
  page.run();
  assert.equal(page.main.innerHTML, '<details id="log" open="" class="new"><p>2</p></details>');
});

test("a menu with an id stays open when something before it goes", () => {
  const menu = '<details id="leave-menu"><summary>Leave</summary></details>';
  const page = morphed(`<span>One is watching</span>${menu}`, menu);
  const open = page.keep("details");
  open.open = true;
  page.run();
  assert.equal(page.keep("details"), open);
  assert.equal(open.open, true);
});
