/** The forms in which a secret may show up in a text, as patterns: plain, JSON, URL, hexadecimal, base64 at any offset. */

/** Fewer characters than this are looked for only as they are: their encodings would match innocent text. */
const ENCODED_MIN = 6;

/** Keys are longer; a shorter text may be a word that a test's key ends with. */
const BARE_MIN = 8;

/** What every key and signing secret begins with, and what is secret of it behind that. */
const PREFIXED = /^(?:svc_(?:live|test)_|whsec_)(.+)$/is;

/**
 * Sources of regular expressions, none for an empty secret or white space. What holds two secrets (a rotation) hides each of them too,
 * and a key hides what follows its prefix.
 */
export function encodingsOf(secret: string): string[] {
  const parts = secret.split(/\s+/);
  const bare = parts.map((part) => PREFIXED.exec(part)?.[1] ?? '');
  const long = [
    ...parts.filter((part) => part.length >= ENCODED_MIN),
    ...bare.filter((part) => part.length >= BARE_MIN),
  ];
  return [...new Set([secret, ...long])].filter((text) => text.trim() !== '').flatMap(formsOf);
}

function formsOf(secret: string): string[] {
  const forms = [secret, JSON.stringify(secret).slice(1, -1)].map(whole);
  if (secret.length < ENCODED_MIN) return forms;
  const bytes = Buffer.from(secret, 'utf8');
  const hex = bytes.toString('hex');
  return [...forms, ...urlForms(secret), literal(hex), literal(hex.toUpperCase()), ...base64Forms(bytes)];
}

/** A one-time code is looked for as a whole number: its six digits are part of many longer ones. */
function whole(text: string): string {
  return /^[0-9]{1,10}$/.test(text) ? `(?<![0-9])${text}(?![0-9])` : literal(text);
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

/** Percent-encoded in either case of its hexadecimal digits, a space as `%20` or `+`. */
function urlForms(text: string): string[] {
  const encoded = encodeURIComponent(text.toWellFormed());
  const lower = encoded.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
  return [encoded, lower, encoded.replaceAll('%20', '+')].map(whole);
}

/**
 * Base64 of a longer text that holds the secret: it begins at one of three offsets. The characters that the secret
 * shares with its neighbours are not known, so one at each end is taken whatever it is.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor((padded.length * 8) / 6);
    const core = padded.toString('base64').slice(first, last);
    const safe = core.replaceAll('+', '-').replaceAll('/', '_');
    const around = String.raw`[A-Za-z0-9+/_-]`;
    const before = offset === 0 ? '' : `${around}?`;
    const percent = encodeURIComponent(core);
    return [core, safe, percent].map((text) => `${before}${literal(text)}${around}?(?:=|%3[Dd]){0,2}`);
  });
}
