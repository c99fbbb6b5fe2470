// What every page needs: the theme switch, popovers, and the way back out of them.
import { $$ } from './lib/dom.js';
import { preferences } from './lib/keep.js';

const root = document.documentElement;

export function isDark() {
  return (root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
}
function showTheme() {
  for (const on of $$('[data-theme-switch]')) {
    on.setAttribute('aria-pressed', String(isDark()));
    const sign = on.querySelector('.ico');
    if (sign) sign.className = `ico ico-${isDark() ? 'sun' : 'moon'}`;
  }
}
export function switchTheme() {
  root.dataset.theme = isDark() ? 'light' : 'dark';
  preferences.set('theme', root.dataset.theme);
  keepForAccount({ theme: root.dataset.theme });
  showTheme();
}

// For somebody signed in the same choice goes to the account, for his other browsers; nothing waits for it.
export function keepForAccount(choices) {
  const address = document.body.dataset.keep;
  const token = document.querySelector('[name=csrfmiddlewaretoken]')?.value;
  if (!address || !token) return;
  fetch(address, { method: 'POST', body: new URLSearchParams(choices), headers: { 'X-CSRFToken': token } }).catch(() => {});
}

const opener = (pop) => document.querySelector(`[aria-controls="${pop.id}"]`);
export function openPop(pop, show = pop.hidden) {
  pop.hidden = !show;
  opener(pop)?.setAttribute('aria-expanded', String(show));
}
const openPops = () => $$('.pop:not([hidden])').filter(opener);

document.addEventListener('click', (event) => {
  const target = event.target;
  if (!(target instanceof Element)) return;
  for (const pop of openPops()) if (!pop.contains(target) && !opener(pop).contains(target)) openPop(pop, false);
  if (target.closest('[data-theme-switch]')) return switchTheme();
  const on = target.closest('[aria-controls][aria-expanded]');
  if (on) return openPop(document.getElementById(on.getAttribute('aria-controls')));
  if (target.closest('dialog [data-close]')) return target.closest('dialog').close();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  for (const pop of openPops()) { openPop(pop, false); opener(pop).focus(); }
});
// Times are written in UTC; shown, they are the reader's.
const clock = new Intl.DateTimeFormat(root.lang, { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
for (const time of $$('time[datetime]')) {
  const moment = new Date(time.dateTime);
  if (!Number.isNaN(moment.getTime())) time.textContent = clock.format(moment);
}
showTheme();
