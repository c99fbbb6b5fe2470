// Tables with free chairs, as rows made from the page's own patterns.
import { $, $$, attr, text } from '../lib/dom.js';
import { initial, ownHue } from '../table/model.js';
import { isLocked, label, stake } from './tiers.js';

const pattern = (template) => template.content.firstElementChild.cloneNode(true);
const address = (form, code) => form.setAttribute('action', form.getAttribute('action').replace('CODE', code));

function stone(element, name) {
  element.className = `ava hue-${ownHue(name)}`;
  text(element, initial(name));
  return element;
}

// Rows that did not change stay as they are, those of the server too: a button under somebody's finger is not replaced.
const keyOf = (table) => [table.code, ...table.seats.map((name) => name ?? '')].join('|');

function fill(list, wanted, make) {
  const old = new Map([...list.children].map((row) => [row.dataset.key, row]));
  list.replaceChildren(...wanted.map((table) => {
    const key = keyOf(table);
    const row = old.get(key) ?? make(table);
    row.dataset.key = key;
    return row;
  }));
}

// --- the rail of the lobby: the tables that need the fewest people more
function railRow(table) {
  const row = pattern($('#free-table'));
  const names = namesAt(table);
  text($('[data-label]', row), label(table.tier));
  text($('[data-stake]', row), stake(table.tier));
  text($('[data-who]', row), names.join(', '));
  $('.avas', row).replaceChildren(...names.map((name) => stone(document.createElement('span'), name)));
  address($('form', row), table.code);
  return row;
}
const namesAt = (table) => table.seats.filter((name) => name !== null);

export function showRail(tables, balance) {
  const list = $('[data-chairs]');
  if (!list) return;
  const all = Object.entries(tables).flatMap(([tier, some]) => (label(tier) ? some.map((table) => ({ ...table, tier })) : []));
  all.sort((a, b) => namesAt(b).length - namesAt(a).length);
  const shown = all.slice(0, Number(list.dataset.chairs));
  fill(list, shown, railRow);
  shown.forEach((table, index) => { $('form', list.children[index]).hidden = isLocked(table.tier, balance); });
  list.parentElement.querySelector('[data-no-chairs]').hidden = all.length > 0;
}

// --- the page of all tables
function tableRow(section, table) {
  const of = (name) => pattern($(`template[data-pattern=${name}]`, section));
  const row = of('table');
  for (const code of $$('[data-code]', row)) text(code, table.code);
  const watch = $('[data-watch]', row);
  if (watch) attr(watch, 'href', watch.getAttribute('href').replace('CODE', table.code));
  $('.chairs', row).append(...table.seats.map((name, index) => (name === null ? freeChair(of('free'), table.code, index) : takenChair(of('taken'), name))));
  return row;
}
function takenChair(chair, name) {
  stone($('.ava', chair), name);
  text($('[data-name]', chair), name);
  return chair;
}
function freeChair(chair, code, index) {
  if (chair.matches('form')) {
    address(chair, code);
    attr($('[name=seat]', chair), 'value', index);
  }
  return chair;
}

export function showTables(tables) {
  for (const section of $$('[data-chairs-of]')) {
    const some = tables[section.dataset.chairsOf] ?? [];
    fill($('.tables:not(.going)', section), some, (table) => tableRow(section, table));
    $('[data-no-chairs]', section).hidden = some.length > 0;
  }
}
