// A thing moves only because somebody did something. Web Animations of transform and opacity; the view is drawn first,
// then its pieces come from where they were. A newer view cuts everything short; with reduced motion nothing moves.
import { h, still } from '../lib/dom.js';
import { figure, t } from '../lib/i18n.js';

const OUT = 'cubic-bezier(.2, .7, .2, 1)';
const MOVE = 'cubic-bezier(.45, .05, .25, 1)';
const QUICK = 220;
const SLOW = 420;
const REST = 500;
const APART = 35;
const SHOUT = 1100;

export class Motion {
  #running = new Set();

  constructor(cloth, trick, hand, seats) {
    Object.assign(this, { cloth, trick, hand, seats });
    this.layer = h('div', { class: 'ghosts', 'aria-hidden': 'true' });
    cloth.append(this.layer);
  }

  cut() {
    for (const animation of this.#running) animation.cancel();
    this.#running.clear();
    this.layer.replaceChildren();
  }

  // Where everything is before a new view is drawn.
  look() {
    this.cut();
    if (still() || document.hidden) return null;
    const cards = new Map();
    for (const card of this.hand.box.querySelectorAll('.card[data-card]')) cards.set(card.dataset.card, card.getBoundingClientRect());
    const cells = new Map();
    for (const [place, cell] of Object.entries(this.trick.cells)) {
      if (cell.childElementCount) cells.set(place, { cell: cell.cloneNode(true), rect: cell.getBoundingClientRect(), card: getComputedStyle(cell).getPropertyValue('--card-w') });
    }
    return { cards, cells };
  }

  // `what` is {dealt, turned, plays: [{seat, cards}], called: [words, what it does], cleared: {winner, passed}, bomb}
  play(before, what) {
    if (!before) return;
    if (what.dealt) this.#deal(what.dealt);
    else if (what.turned) this.#turn();
    else this.#close(before);
    for (const play of what.plays) this.#put(before, play);
    if (what.cleared) this.#clear(before, what.cleared);
    if (what.called) this.#call(what.called);
    if (what.bomb) this.#run(this.cloth, [{ transform: 'none' }, { transform: 'translateY(3px)' }, { transform: 'none' }], { duration: QUICK, easing: OUT });
  }

  #run(element, frames, timing) {
    const animation = element.animate(frames, timing);
    this.#running.add(animation);
    animation.finished.then(() => this.#running.delete(animation), () => {});
    return animation;
  }

  #middle() {
    const box = this.cloth.getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height * 0.42 };
  }

  // A card on its back from one point to another, on the layer above the cloth.
  #fly(from, to, width, delay, scale = 1) {
    const box = this.cloth.getBoundingClientRect();
    const ghost = h('span', { class: 'card back ghost', vars: { '--card-w': `${width}px`, left: `${from.x - box.x - width / 2}px`, top: `${from.y - box.y - width * 0.7}px` } });
    this.layer.append(ghost);
    this.#run(ghost, [{ opacity: 0, transform: 'scale(.7)' }, { opacity: 1, offset: 0.2 }, { opacity: 1, transform: `translate(${to.x - from.x}px, ${to.y - from.y}px) scale(${scale})` }], { duration: QUICK, delay, easing: OUT, fill: 'both' })
      .finished.then(() => ghost.remove(), () => {});
  }

  #deal(counts) {
    const from = this.#middle();
    const cards = [...this.hand.box.querySelectorAll('.card')];
    cards.forEach((card, i) => {
      const at = card.getBoundingClientRect();
      this.#fly(from, { x: at.x + at.width / 2, y: at.y + at.height / 2 }, card.offsetWidth, i * APART);
      this.#run(card, [{ transform: 'rotateY(90deg)', opacity: 0 }, { transform: 'rotateY(90deg)', opacity: 1, offset: 0.02 }, { transform: 'rotateY(0deg)', opacity: 1 }],
        { duration: QUICK, delay: i * APART + QUICK, easing: OUT, fill: 'backwards', composite: 'add' });
    });
    for (const [seat, count] of counts) {
      const face = this.seats.face(seat)?.getBoundingClientRect();
      if (!face || face.width === 0) continue;
      for (let i = 0; i < count; i += 1) this.#fly(from, { x: face.x + face.width / 2, y: face.y + face.height / 2 }, 44, i * APART, 0.5);
    }
  }

  // A hand that lay face down turns over.
  #turn() {
    [...this.hand.box.querySelectorAll('.card')].forEach((card, i) => {
      this.#run(card, [{ transform: 'rotateY(90deg)' }, { transform: 'rotateY(0deg)' }], { duration: QUICK, delay: i * APART / 2, easing: OUT, fill: 'backwards', composite: 'add' });
    });
  }

  // What is called out stands over the trick for a moment; the name under the cards says the same and stays.
  #call([words, does]) {
    const shout = h('div', { class: 'shout' }, h('span', {}, words), does && h('small', {}, does));
    this.layer.append(shout);
    this.#run(shout, [{ opacity: 0, transform: 'translate(-50%, -50%) scale(.8)' }, { opacity: 1, transform: 'translate(-50%, -50%)', offset: 0.18 }, { opacity: 1, transform: 'translate(-50%, -50%)', offset: 0.75 }, { opacity: 0, transform: 'translate(-50%, -58%)' }], { duration: SHOUT, easing: OUT, fill: 'both' })
      .finished.then(() => shout.remove(), () => {});
  }

  // The rest of the hand closes up.
  #close(before) {
    for (const card of this.hand.box.querySelectorAll('.card[data-card]')) {
      const was = before.cards.get(card.dataset.card);
      if (!was) continue;
      const is = card.getBoundingClientRect();
      const [dx, dy] = [was.x - is.x, was.y - is.y];
      if (Math.abs(dx) < 2 && Math.abs(dy) < 30) continue;
      this.#run(card, [{ transform: `translate(${dx}px, ${dy}px)` }, { transform: 'translate(0, 0)' }], { duration: QUICK, easing: MOVE, composite: 'add' });
    }
  }

  // A play comes from the hand, or from its player's seat.
  #put(before, { seat, place }) {
    const face = this.seats.face(seat)?.getBoundingClientRect();
    for (const card of this.trick.cell(place)?.querySelectorAll('.card') ?? []) {
      const is = card.getBoundingClientRect();
      const was = (place === 's' && before.cards.get(card.dataset.card)) || face;
      if (!was) continue;
      const size = place === 's' && before.cards.has(card.dataset.card) ? was.width / is.width : 0.4;
      const [dx, dy] = [was.x + was.width / 2 - is.x - is.width / 2, was.y + was.height / 2 - is.y - is.height / 2];
      this.#run(card, [{ transform: `translate(${dx}px, ${dy}px) scale(${size})` }, { transform: 'none' }], { duration: QUICK, easing: MOVE, fill: 'backwards' });
    }
  }

  // The old trick rests, then slides to its winner and is gone.
  #clear(before, { winner, passed }) {
    const box = this.cloth.getBoundingClientRect();
    const face = this.seats.face(winner)?.getBoundingClientRect();
    for (const [place, old] of before.cells) {
      const ghost = old.cell;
      ghost.classList.add('ghost');
      Object.assign(ghost.style, { left: `${old.rect.x - box.x}px`, top: `${old.rect.y - box.y}px`, width: `${old.rect.width}px` });
      if (place === passed) ghost.replaceChildren(h('span', { class: 'said' }, t('Pass')));
      this.#leave(ghost, old.rect, face);
    }
    if (passed && !before.cells.has(passed)) {
      const rect = this.trick.cell(passed).getBoundingClientRect();
      const ghost = h('div', { class: 'play ghost' }, h('span', { class: 'said' }, t('Pass')));
      Object.assign(ghost.style, { left: `${rect.x - box.x}px`, top: `${rect.y - box.y}px` });
      this.#leave(ghost, rect, face);
    }
  }
  #leave(ghost, rect, face) {
    this.layer.append(ghost);
    const [dx, dy] = face ? [face.x + face.width / 2 - rect.x - rect.width / 2, face.y + face.height / 2 - rect.y - rect.height / 2] : [0, -1];
    const far = Math.hypot(dx, dy) || 1;
    this.#run(ghost, [{ transform: 'none', opacity: 1 }, { transform: `translate(${(dx / far) * 40}px, ${(dy / far) * 40}px)`, opacity: 0 }], { duration: SLOW, delay: REST, easing: MOVE, fill: 'both' })
      .finished.then(() => ghost.remove(), () => {});
  }

  // Coins count up on the receipt.
  count(element) {
    if (!element || still()) return;
    const goal = Number(element.dataset.count);
    const begun = performance.now();
    const step = (now) => {
      const done = Math.min(1, (now - begun) / SLOW);
      const value = Math.round(goal * (1 - (1 - done) ** 3));
      element.textContent = value > 0 ? '+' + figure(value) : figure(value);
      if (done < 1 && element.isConnected) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
}
