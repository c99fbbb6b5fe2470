// The pages of complaints: what filing costs, how much is written, one deal where the kind names one, and no second click.
import { $, $$, attr, text } from './lib/dom.js';
import { figure } from './lib/i18n.js';

// --- how much is written ---
for (const counter of $$('[data-count]')) {
  const field = counter.closest('.field').querySelector('textarea');
  const most = Number(counter.dataset.count);
  const show = () => text(counter, `${figure(field.value.length)} / ${figure(most)}`);
  counter.hidden = false;
  field.addEventListener('input', show);
  show();
}

// --- filing ---
const form = $('form[data-complaint]');
if (form) {
  const available = Number(form.dataset.available);
  const send = $('[data-send]', form);
  const poor = $('#too-poor');
  const kind = () => $('[name=kind]:checked', form);

  const show = () => {
    const chosen = kind();
    const fee = Number(chosen?.dataset.fee ?? 0);
    const one = chosen?.dataset.one !== undefined;
    const tooPoor = fee > available;
    poor.hidden = !tooPoor;
    attr(send, 'aria-disabled', tooPoor ? 'true' : null);
    attr(send, 'aria-describedby', tooPoor ? 'too-poor' : null);
    $('[data-free]', send).hidden = fee > 0;
    for (const paid of $$('[data-paid]', send)) paid.hidden = fee === 0;
    $('[data-one-only]', form).hidden = !one;
  };
  // Where a kind names one, choosing another takes the first back.
  form.addEventListener('change', (event) => {
    const { name, checked } = event.target;
    const one = kind()?.dataset.one !== undefined;
    if (name === 'kind' && one) {
      for (const each of ['accused', 'deals']) for (const extra of $$(`[name=${each}]:checked`, form).slice(1)) extra.checked = false;
    } else if (one && checked && (name === 'accused' || name === 'deals')) {
      for (const other of $$(`[name=${name}]:checked`, form)) if (other !== event.target) other.checked = false;
    }
    show();
  });
  show();
  $('#refused')?.focus();
}

// --- a form is sent once, and what cannot be sent is not ---
for (const sent of $$('form:has([data-send])')) {
  sent.addEventListener('submit', (event) => {
    const button = $('[data-send]', sent);
    if (button.getAttribute('aria-disabled') === 'true' || sent.dataset.sent) return event.preventDefault();
    sent.dataset.sent = 'yes';
    attr(button, 'aria-disabled', 'true');
  });
}
addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });

// --- is it meant? ---
for (const asked of $$('form[data-confirm]')) {
  const dialog = document.getElementById(asked.dataset.confirm);
  asked.addEventListener('submit', (event) => {
    if (asked.dataset.meant) return;
    event.preventDefault();
    dialog.showModal();
  });
  $('[data-yes]', dialog).addEventListener('click', () => { asked.dataset.meant = 'yes'; dialog.close(); asked.requestSubmit(); });
}

// --- whoever sees a case has read what he was told of it ---
const page = $('[data-read]');
if (page) {
  const token = $('[name=csrfmiddlewaretoken]')?.value;
  if (token) fetch(page.dataset.read, { method: 'POST', headers: { 'X-CSRFToken': token }, keepalive: true }).catch(() => {});
}
