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
  for (const kept of $$('input[data-theme-kept]')) kept.value = root.dataset.theme ?? '';
}
export function switchTheme() {
  root.dataset.theme = isDark() ? 'light' : 'dark';
  preferences.set('theme', root.dataset.theme);
  showTheme();
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
// Times are written in UTC; shown, they are the reader's: "Today 20:11", "Yesterday 09:00", "3 Nov, 22:14".
const hour = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const hours = new Intl.DateTimeFormat(root.lang, hour);
const dated = new Intl.DateTimeFormat(root.lang, { month: 'short', day: 'numeric', ...hour });
const full = new Intl.DateTimeFormat(root.lang, { year: 'numeric', month: 'short', day: 'numeric', ...hour });
const days = new Intl.RelativeTimeFormat(root.lang, { numeric: 'auto' });
const midnight = (moment) => new Date(moment.getFullYear(), moment.getMonth(), moment.getDate());
function inWords(moment) {
  const today = midnight(new Date());
  const ago = Math.round((midnight(moment) - today) / 864e5);
  if (ago === 0 || ago === -1) {
    const day = days.format(ago, 'day');
    return `${day.charAt(0).toLocaleUpperCase(root.lang)}${day.slice(1)} ${hours.format(moment)}`;
  }
  return (moment.getFullYear() === today.getFullYear() ? dated : full).format(moment);
}
for (const time of $$('time[datetime]')) {
  const moment = new Date(time.dateTime);
  if (Number.isNaN(moment.getTime())) continue;
  time.textContent = inWords(moment);
  time.title = full.format(moment);
}
showTheme();
