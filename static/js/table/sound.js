// Sounds made on the spot, none over 800 ms. Off until the first click; nothing that only sound tells.
import { preferences } from '../lib/keep.js';

let context = null;
let out = null;
const LOUDEST = 0.7;
// Halfway along the bar sounds half as loud: the ear hears the square of what it is given.
const gain = (volume) => LOUDEST * (volume / 100) ** 2;

function wake() {
  if (context) return;
  const Context = window.AudioContext ?? window.webkitAudioContext;
  if (!Context) return;
  context = new Context();
  out = context.createGain();
  out.gain.value = gain(sound.volume);
  out.connect(context.destination);
}

// A tone that is struck and dies away.
function tone(at, hertz, length, { kind = 'sine', loud = 0.5, to = hertz } = {}) {
  const source = context.createOscillator();
  const level = context.createGain();
  source.type = kind;
  source.frequency.setValueAtTime(hertz, at);
  source.frequency.exponentialRampToValueAtTime(to, at + length);
  level.gain.setValueAtTime(0, at);
  level.gain.linearRampToValueAtTime(loud, at + 0.006);
  level.gain.exponentialRampToValueAtTime(0.0008, at + length);
  source.connect(level).connect(out);
  source.start(at);
  source.stop(at + length + 0.02);
}

// A short breath of noise through a band: cards, brushes, a cymbal.
function noise(at, length, { low = 900, loud = 0.4, sharp = 0.8 } = {}) {
  const buffer = context.createBuffer(1, Math.ceil(context.sampleRate * length), context.sampleRate);
  const data = buffer.getChannelData(0);
  for (let i = 0; i < data.length; i += 1) data[i] = (Math.random() * 2 - 1) * (1 - i / data.length);
  const source = context.createBufferSource();
  const band = context.createBiquadFilter();
  const level = context.createGain();
  source.buffer = buffer;
  band.type = 'bandpass';
  band.frequency.value = low;
  band.Q.value = sharp;
  level.gain.setValueAtTime(loud, at);
  level.gain.exponentialRampToValueAtTime(0.0008, at + length);
  source.connect(band).connect(level).connect(out);
  source.start(at);
}

const CUES = {
  deal(at) { for (let i = 0; i < 9; i += 1) noise(at + i * 0.05, 0.05, { low: 2600 + i * 90, loud: 0.16 }); },
  pick(at) { tone(at, 1700, 0.035, { loud: 0.12 }); },
  play(at) { noise(at, 0.07, { low: 1500, loud: 0.5 }); tone(at, 190, 0.08, { loud: 0.25 }); },
  pass(at) { for (const late of [0, 0.12]) tone(at + late, 150, 0.07, { kind: 'triangle', loud: 0.4 }); },
  turn(at) { tone(at, 880, 0.11, { kind: 'triangle', loud: 0.5, to: 640 }); noise(at, 0.03, { low: 1200, loud: 0.2 }); },
  second(at) { noise(at, 0.03, { low: 3200, loud: 0.35, sharp: 4 }); },
  last(at) { tone(at, 2090, 0.7, { loud: 0.22 }); tone(at, 3135, 0.5, { loud: 0.1 }); },
  bomb(at) { tone(at, 110, 0.5, { loud: 0.9, to: 42 }); noise(at, 0.25, { low: 240, loud: 0.5 }); },
  rocket(at) { tone(at, 110, 0.5, { loud: 0.9, to: 42 }); noise(at + 0.04, 0.7, { low: 6500, loud: 0.4 }); },
  won(at) { [523, 659, 784].forEach((hertz, i) => tone(at + i * 0.13, hertz, 0.4, { kind: 'triangle', loud: 0.4 })); },
  lost(at) { tone(at, 294, 0.5, { kind: 'triangle', loud: 0.35, to: 220 }); },
  coin(at) { tone(at, 2637, 0.16, { loud: 0.18 }); tone(at + 0.03, 3520, 0.22, { loud: 0.12 }); },
  message(at) { tone(at, 620, 0.08, { loud: 0.2, to: 930 }); },
};

export const sound = {
  on: preferences.get('sound', true),
  volume: preferences.get('volume', 70),
  set(on) { this.on = on; preferences.set('sound', on); if (on) wake(); this.changed?.(); },
  setVolume(volume) {
    this.volume = volume;
    preferences.set('volume', volume);
    if (out) out.gain.value = gain(volume);
  },
  // Sound a cue now, or `later` seconds from now; a page that wants to know hears "cue" with its name.
  cue(name, later = 0) {
    if (!this.on || !this.volume || !context || context.state !== 'running' || document.hidden || !CUES[name]) return;
    CUES[name](context.currentTime + 0.005 + later);
    dispatchEvent(new CustomEvent('cue', { detail: name }));
  },
};

for (const type of ['pointerdown', 'keydown']) {
  addEventListener(type, () => { if (sound.on) { wake(); context?.resume?.(); } }, { passive: true });
}
