// Signs that are cut, not translated: seals, marks and the steps of the ladder, in the reader's script.
const TRADITIONAL = { 胜: '勝', 负: '負', 终: '終', 农: '農', 垒: '壘', 闷: '悶' };
const isTraditional = /hant/i.test(document.documentElement.lang);
export const inScript = (signs) => (isTraditional ? [...signs].map((sign) => TRADITIONAL[sign] ?? sign).join('') : signs);
