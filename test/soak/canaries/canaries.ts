/** The canaries: what must never show up, in which forms it is looked for, and the few places where each is the data itself. */

/** `secret`: API keys and signing secrets; `code`: one-time codes; `personal`: accounts, phones and documents, which logs cut to four. */
export type Kind = 'secret' | 'code' | 'personal';

export interface Canary {
  readonly name: string;
  readonly kind: Kind;
  readonly text: string;
}

/** The code that the sandbox of a cage accepts. */
export const CODE = '739184';
export const ENV_SECRET = 'whsec_VariableCanary0a1b2c3d4e5f';
export const FILE_SECRET = 'whsec_FileCanary9f8e7d6c5b4a3210';
export const ACCOUNT = '01025550001112223334';
export const PHONE = '04125556677';
export const DOCUMENT = '98765431';

const PERSONAL: readonly Canary[] = [
  { name: 'the one-time code', kind: 'code', text: CODE },
  { name: 'an account number', kind: 'personal', text: ACCOUNT },
  { name: 'a phone', kind: 'personal', text: PHONE },
  { name: 'a document', kind: 'personal', text: DOCUMENT },
];

/** A secret by its name; of a key the prefix may be shown, and the last four characters. */
export function secret(name: string, text: string): Canary {
  return { name, kind: 'secret', text };
}

/** Where something was found: a stream, or a file by its path below the home folder, or the arguments of a process. */
export interface Place {
  readonly name: 'stdout' | 'stderr' | 'file' | 'arguments' | 'child';
  readonly path?: string;
}

/** What a canary looks like in that text, or null: whole, or in an encoding that anybody can read. */
function formFound(canary: Canary, text: string): string | null {
  const core = canary.kind === 'secret' ? coreOf(canary.text) : canary.text;
  const bytes = Buffer.from(core);
  // As Node prints a buffer.
  if (text.includes(bytes.toString('hex').replace(/(..)(?!$)/g, '$1 '))) return 'bytes';
  if (canary.kind !== 'secret') return new RegExp(`(?<![0-9])${core}(?![0-9])`).test(text) ? 'plain' : null;
  const forms: Record<string, string> = { plain: core, hexadecimal: bytes.toString('hex') };
  for (const offset of [0, 1, 2]) {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    // Without the ends, which their neighbours change.
    forms[`base64 at ${String(offset)}`] = shifted.slice(4, -4);
  }
  return Object.entries(forms).find(([, form]) => text.includes(form))?.[0] ?? null;
}

/** Of a secret neither the prefix, which may be shown, nor the last four characters. */
function coreOf(text: string): string {
  return text.replace(/^(svc_(test|live)_|whsec_)/, '').slice(0, -4);
}

/** Files that are there to hold it: stores that only the user can read. */
const STORES: readonly (readonly [path: RegExp, holds: readonly Kind[]])[] = [
  // Keys and signing secrets where there is no key store.
  [/^\.config\/svc\/keys\.json$/, ['secret']],
  // The embedded sandbox is the service: its keys, secrets and parties.
  [/^\.local\/share\/svc\/sandbox\.db/, ['secret', 'personal']],
  // The exact bytes of what left, and of what is about to.
  [/^\.local\/state\/svc\/requests\.db/, ['personal']],
  [/^\.local\/state\/svc\/batches?(\.db|\/)/, ['personal']],
  // What deliveries of `events forward` are signed with.
  [/^\.config\/svc\/forwarding/, ['secret']],
];

/** Commands whose output is the very thing, by the words of the command line. */
const DATA: readonly (readonly [line: RegExp, holds: readonly Kind[]])[] = [
  [/^webhooks register/, ['secret']],
  [/^events forward --print-secret/, ['secret']],
  [/^sandbox key/, ['secret']],
  [/^sandbox (start|status)/, ['secret', 'code']],
  // The whole sandbox: its keys, its secrets, and who was paid.
  [/^sandbox export/, ['secret', 'personal']],
  [/^sandbox import/, ['secret']],
  // The request itself: what was typed, or left.
  [/--dry-run/, ['personal']],
  [/^requests show/, ['personal']],
  [/^batches export/, ['personal']],
  // The service's answer, byte for byte, whatever it says.
  [/^api /, ['secret', 'code', 'personal']],
];

function isAtHome({ kind }: Canary, place: Place, line: string): boolean {
  if (place.name === 'file')
    return STORES.some(([path, holds]) => path.test(place.path ?? '') && holds.includes(kind));
  return place.name === 'stdout' && DATA.some(([words, holds]) => words.test(line) && holds.includes(kind));
}

/** Standard error without the next command, which repeats what was typed: with a masked document it would be another request. */
function withoutNextCommand(stderr: string): string {
  return stderr.replace(/"next_command":"(?:[^"\\]|\\.)*"/g, '').replace(/^Next: .*$/gm, '');
}

/** Each canary that is not at home, in words. @param line what was typed @param mayStand what else may stand in a place */
export function leaksIn(
  places: readonly (readonly [Place, string])[],
  canaries: readonly Canary[],
  line: string,
  mayStand: (canary: Canary, place: Place) => boolean = () => false,
): string[] {
  return places.flatMap(([place, text]) =>
    canaries.flatMap((canary) => {
      if (isAtHome(canary, place, line) || mayStand(canary, place)) return [];
      const isTyped = canary.kind === 'personal' && place.name === 'stderr';
      const form = formFound(canary, isTyped ? withoutNextCommand(text) : text);
      const where = place.path === undefined ? place.name : `${place.name} ${place.path}`;
      return form === null ? [] : [`${canary.name} (${form}) in ${where} of: svc ${line}`];
    }),
  );
}

/** Everything that every setting holds: what is personal, the API key, and the signing secrets of the variable and the file. */
export function canariesOf(apiKey: string): Canary[] {
  return [
    ...PERSONAL,
    secret('the API key', apiKey),
    secret('the signing secret of the variable', ENV_SECRET),
    secret('the signing secret of the file', FILE_SECRET),
  ];
}
