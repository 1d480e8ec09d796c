import type { Redactor } from '../runtime/ports.js';

const MASK = '***';

export function createRedactor(secrets: Iterable<string>): Redactor {
  const sources = new Set<string>();
  let pattern: RegExp | null = null;
  let newSecrets = [...secrets];
  const rebuildPattern = (): void => {
    for (const secret of newSecrets.splice(0)) for (const form of encodingsOf(secret)) sources.add(form);
    // The longest forms come first, so that a secret that contains another is masked whole.
    const forms = [...sources].sort((a, b) => b.length - a.length);
    const numberForms = forms.filter(isNumberForm);
    const textForms = forms.filter((form) => !isNumberForm(form));
    pattern = forms.length === 0 ? null : new RegExp([...textForms, ID, ...numberForms].join('|'), 'g');
  };
  const redact = (text: string): string => {
    if (newSecrets.length > 0) rebuildPattern();
    return redactMembers(redactShapes(pattern === null ? text : text.replace(pattern, maskUnlessId)));
  };
  const add = (addedSecrets: Iterable<string>): void => {
    newSecrets = [...newSecrets, ...addedSecrets];
  };
  return Object.assign(redact, { add });
}

const TOKEN = String.raw`[^\s"'\\<>]+`;
/** The prefix alone, as in help, is no secret. */
const NOT_ALONE = String.raw`(?![.,;:!?)]*(?:[\s"'\\<>]|$))`;
const SECRET_SHAPES: readonly [RegExp, string][] = [
  [
    new RegExp(String.raw`\bsvc_(live|test)_(?=[\w-])(?!sandbox_(?!${NOT_ALONE}))${TOKEN}`, 'gi'),
    `svc_$1_${MASK}`,
  ],
  [new RegExp(String.raw`\b(Bearer)(\s+|%20|\+)(?!\*)${TOKEN}`, 'gi'), `$1$2${MASK}`],
  [new RegExp(String.raw`\bwhsec_(?!\*)${NOT_ALONE}${TOKEN}`, 'gi'), `whsec_${MASK}`],
];

function redactShapes(text: string): string {
  let maskedText = text;
  for (const [shape, mask] of SECRET_SHAPES) maskedText = maskedText.replace(shape, mask);
  return maskedText;
}

/** The match begins at the first backslash, because a search from each of many backslashes would take too long. */
const memberPattern = (names: string): string => String.raw`((?<!\\)\\*"(?:${names})\\*"\s*:\s*)`;
const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const NESTED_STRING = String.raw`(?:\\+")[^"\\]*(?:\\+")`;
const NUMBER = String.raw`-?[0-9][0-9.eE+-]*`;
const ONE_TIME_CODE = String.raw`(?:(?=[A-Za-z-]*[0-9])[A-Za-z0-9-]{5,12}|[A-Z]{5,12})(?![A-Za-z0-9_])`;
const QUOTED_CODE = String.raw`(?:\\*")?${ONE_TIME_CODE}(?:\\*")?`;

const SECRET_MEMBERS = [
  new RegExp(`${memberPattern('secret|api_key')}(${STRING}|${NESTED_STRING})`, 'gi'),
  new RegExp(`${memberPattern('[Cc]ode')}(${QUOTED_CODE})`, 'g'),
];
export function hasSecret(text: string): boolean {
  return redactShapes(text) !== text || SECRET_MEMBERS.some((pattern) => text.search(pattern) !== -1);
}

const CODE_PAIR = new RegExp(String.raw`\b([Cc]ode)=${ONE_TIME_CODE}`, 'g');
const PERSONAL_NAMES = 'account_number|phone|number|document';
const PERSONAL_MEMBER = new RegExp(
  `${memberPattern(PERSONAL_NAMES)}(${STRING}|${NESTED_STRING}|${NUMBER})`,
  'gi',
);
const PAIR_CHARACTER = String.raw`(?!,[a-z_.]+=)[^\s"'&\\`;
const PERSONAL_PAIR = new RegExp(
  String.raw`\b(${PERSONAL_NAMES})=(?=(?:(?:${PAIR_CHARACTER}0-9]){0,40}[0-9]){4})((?:${PAIR_CHARACTER}])+)`,
  'gi',
);

function redactMembers(text: string): string {
  if (!text.includes('"') && !text.includes('=')) return text;
  let maskedText = text;
  for (const member of SECRET_MEMBERS) {
    maskedText = maskedText.replace(member, (_, lead: string, value: string) => quoteLike(lead, value, MASK));
  }
  return maskedText
    .replace(PERSONAL_MEMBER, (_, lead: string, value: string) =>
      quoteLike(lead, value, maskAllButLastFour(value.replace(/^\\*"|\\*"$/g, ''))),
    )
    .replace(CODE_PAIR, `$1=${MASK}`)
    .replace(PERSONAL_PAIR, (_, name: string, value: string) => `${name}=${maskAllButLastFour(value)}`);
}

function maskAllButLastFour(value: string): string {
  if (value.startsWith(MASK)) return value;
  const end = value.slice(-4);
  return value.length > 4 && /^\w{4}$/.test(end) && !value.slice(-9).includes('\\') ? MASK + end : MASK;
}

function quoteLike(lead: string, value: string, text: string): string {
  const quote = /^\\*"/.exec(value)?.[0] ?? /^\\*"/.exec(lead)?.[0] ?? '';
  return lead + quote + text + quote;
}

/** A shorter secret is masked only in plain form, because its encodings would match innocent text. */
const ENCODED_MIN = 6;

const KEY_REST_MIN = 8;

const PREFIXED_KEY = /^(?:svc_(?:live|test)_|whsec_)(.+)$/is;

function encodingsOf(secret: string): string[] {
  const parts = secret.split(/\s+/);
  const keyRests = parts.map((part) => PREFIXED_KEY.exec(part)?.[1] ?? '');
  const longParts = [
    ...parts.filter((part) => part.length >= ENCODED_MIN),
    ...keyRests.filter((part) => part.length >= KEY_REST_MIN),
  ];
  return [...new Set([secret, ...longParts])].filter((text) => text.trim() !== '').flatMap(formsOf);
}

function formsOf(secret: string): string[] {
  const forms = [secret, JSON.stringify(secret).slice(1, -1)].map(textPattern);
  if (secret.length < ENCODED_MIN) return forms;
  const bytes = Buffer.from(secret, 'utf8');
  const hex = bytes.toString('hex');
  return [...forms, ...urlForms(secret), hex, hex.toUpperCase(), ...base64Forms(bytes)];
}

/** Matches a one-time code only as a whole number, because longer numbers and ids often contain its digits. */
function textPattern(text: string): string {
  return /^[0-9]{1,10}$/.test(text) ? `${NO_DIGIT}${text}(?![0-9])` : escapeRegExp(text);
}

const NO_DIGIT = '(?<![0-9])';
const ID = String.raw`\b([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-f]{32})\b`;
const maskUnlessId = (_text: string, id: string | undefined): string => id ?? MASK;

function isNumberForm(form: string): boolean {
  return form.startsWith(NO_DIGIT);
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

function urlForms(text: string): string[] {
  const encodedText = encodeURIComponent(text.toWellFormed());
  const lowerForm = encodedText.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
  return [encodedText, lowerForm, encodedText.replaceAll('%20', '+')].map(textPattern);
}

/** A secret has three Base64 forms, because it may begin at any of three offsets. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const paddedBytes = Buffer.concat([Buffer.alloc(offset), bytes]);
    const coreStart = Math.ceil((offset * 8) / 6);
    const coreEnd = Math.floor((paddedBytes.length * 8) / 6);
    const core = paddedBytes.toString('base64').slice(coreStart, coreEnd);
    const urlCore = core.replaceAll('+', '-').replaceAll('/', '_');
    const letter = String.raw`[A-Za-z0-9+/_-]`;
    const leadingCharacter = offset === 0 ? '' : `${letter}?`;
    const encodedCore = encodeURIComponent(core);
    return [core, urlCore, encodedCore].map(
      (text) => `${leadingCharacter}${escapeRegExp(text)}${letter}?(?:=|%3[Dd]){0,2}`,
    );
  });
}
