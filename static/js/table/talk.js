// Chat and log: one box, in the rail on wide screens, in a sheet on small ones. Lines outlive a reload within this tab.
import { $, attr, h, text } from '../lib/dom.js';
import { t, tn } from '../lib/i18n.js';
import { preferences, tab } from '../lib/keep.js';
import { hue, initial } from './model.js';
import { PHRASES, phrase } from './words.js';

const KEPT = 120;
const MOST_HUSHED = 200;

export class Talk {
  #lines; #key; #tab = 'chat'; #news = 0; #hushed = new Map(preferences.get('hushed', []));

  // `words(line)` makes the words of a log line anew, so that they are in the language of the day.
  constructor(code, { say, words }) {
    this.#key = `talk.${code}`;
    this.#lines = tab.get(this.#key, []);
    this.say = say;
    this.words = words;
    this.list = $('#talk-list');
    this.panel = $('#talk-panel');
    this.sheet = $('#talk');
    for (const name of ['chat', 'log']) $(`#tab-${name}`).addEventListener('click', () => this.show(name));
    $('.tabs', $('#talk-box')).addEventListener('keydown', (event) => {
      if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') { this.show(this.#tab === 'chat' ? 'log' : 'chat'); $(`#tab-${this.#tab}`).focus(); }
    });
    $('#phrases').replaceChildren(...Object.keys(PHRASES).map((code_) => h('button', { type: 'button', on: { click: () => this.#send({ phrase: code_ }) } }, phrase(code_))));
    $('#say-form').addEventListener('submit', (event) => {
      event.preventDefault();
      const field = $('#say-in');
      if (field.value.trim()) this.#send({ text: field.value.trim() });
      field.value = '';
    });
    $('#talk-open').addEventListener('click', () => this.open());
    this.sheet.addEventListener('close', () => { $('.side').append($('#talk-box')); this.#draw(); });
    this.#draw();
  }

  #send(words) { if (!this.mute) this.say(words); }

  // On small screens the box moves into the sheet for as long as that is open.
  open() {
    if (getComputedStyle($('.side')).display !== 'none') { $('#say-in').focus(); return; }
    this.sheet.append($('#talk-box'));
    this.sheet.showModal();
    this.#read();
    this.#draw();
  }
  #seen() { return this.sheet.open || getComputedStyle($('.side')).display !== 'none'; }
  #read() { this.#news = 0; $('#talk-news').hidden = true; attr($('#talk-open'), 'aria-label', t('Chat and log')); }

  show(name) {
    this.#tab = name;
    for (const each of ['chat', 'log']) { const on = each === name; attr($(`#tab-${each}`), 'aria-selected', String(on)); $(`#tab-${each}`).tabIndex = on ? 0 : -1; }
    attr(this.panel, 'aria-labelledby', `tab-${name}`);
    this.#draw();
  }

  // `main` lines stand in the chat as well; said lines have a name.
  add(line) {
    if (line.seq && this.#lines.some((old) => old.seq === line.seq)) return false;
    this.#lines.push(line);
    this.#lines.splice(0, Math.max(0, this.#lines.length - KEPT));
    tab.set(this.#key, this.#lines);
    if (line.name && !line.mine && !this.isHushed(line.user) && !this.#seen()) {
      this.#news += 1;
      $('#talk-news').hidden = false;
      text($('#talk-news'), String(this.#news));
      attr($('#talk-open'), 'aria-label', tn('Chat and log, {n} new', 'Chat and log, {n} new', this.#news));
    }
    this.#draw();
    return true;
  }

  // Whom this browser's player does not want to hear. What they say stays in the table's log, as evidence.
  isHushed(user) { return this.#hushed.has(user); }
  #hush(user, name) {
    if (name === null) this.#hushed.delete(user); else this.#hushed.set(user, name);
    this.#hushed = new Map([...this.#hushed].slice(-MOST_HUSHED));
    preferences.set('hushed', [...this.#hushed]);
    this.#draw();
    this.panel.focus();
  }

  // Why nothing can be said now, or null.
  silence(why) {
    this.mute = Boolean(why);
    $('#say-why').hidden = !why;
    text($('#say-why'), why ?? '');
    for (const control of $('#say').querySelectorAll('button, input')) control.disabled = this.mute;
  }

  #draw() {
    const low = this.panel.scrollHeight - this.panel.scrollTop - this.panel.clientHeight < 40;
    const lines = this.#lines.filter((line) => this.#tab === 'log' ? !line.name : (line.name && !this.isHushed(line.user)) || line.main);
    const here = new Map(this.#lines.filter((line) => this.isHushed(line.user)).map((line) => [line.user, line.name]));
    this.list.replaceChildren(...lines.map((line) => line.name ? this.#said(line) : h('li', { class: 'sys' }, this.words(line))),
      ...(this.#tab === 'chat' ? [...here].map(([user, name]) => h('li', { class: 'sys' }, t('You have muted {name}.', { name }), ' ', this.#button(t('Hear again'), t('Hear {name} again', { name }), () => this.#hush(user, null)))) : []));
    if (low) this.panel.scrollTop = this.panel.scrollHeight;
  }
  #said({ name, user, phrase: code, words }) {
    return h('li', {}, h('span', { class: `ava hue-${hue(name)}`, 'aria-hidden': 'true' }, initial(name)),
      h('span', { class: 'by' }, h('b', {}, name), user ? this.#button(t('Mute'), t('Mute {name}', { name }), () => this.#hush(user, name)) : null),
      h('span', { dir: 'auto' }, code ? phrase(code) : words));
  }
  #button(words, label, click) { return h('button', { class: 'hush', type: 'button', 'aria-label': label, on: { click } }, words); }
}
