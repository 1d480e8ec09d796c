/**
 * A `secret` is an API key or a signing secret, a `code` is a one-time code, and `personal` are accounts,
 * phones and documents.
 */
export type Kind = 'secret' | 'code' | 'personal';

export interface Canary {
  readonly name: string;
  readonly kind: Kind;
  readonly text: string;
}

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

export function secret(name: string, text: string): Canary {
  return { name, kind: 'secret', text };
}

export interface Place {
  readonly name: 'stdout' | 'stderr' | 'file' | 'arguments' | 'child';
  readonly path?: string;
}

function formFound(canary: Canary, text: string): string | null {
  const core = canary.kind === 'secret' ? coreOf(canary.text) : canary.text;
  const bytes = Buffer.from(core);
  if (text.includes(bytes.toString('hex').replace(/(..)(?!$)/g, '$1 '))) return 'bytes';
  if (canary.kind !== 'secret') return new RegExp(`(?<![0-9])${core}(?![0-9])`).test(text) ? 'plain' : null;
  const forms: Record<string, string> = { plain: core, hexadecimal: bytes.toString('hex') };
  for (const offset of [0, 1, 2]) {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    // The ends are cut off, because they depend on the neighbouring bytes.
    forms[`base64 at ${String(offset)}`] = shifted.slice(4, -4);
  }
  return Object.entries(forms).find(([, form]) => text.includes(form))?.[0] ?? null;
}

/** Leaves out the prefix, which may be shown, and the last four characters. */
function coreOf(text: string): string {
  return text.replace(/^(svc_(test|live)_|whsec_)/, '').slice(0, -4);
}

const STORES: readonly (readonly [path: RegExp, holds: readonly Kind[]])[] = [
  // API keys and signing secrets on a machine without a key store.
  [/^\.config\/svc\/keys\.json$/, ['secret']],
  [/^\.local\/share\/svc\/sandbox\.db/, ['secret', 'personal']],
  [/^\.local\/state\/svc\/requests\.db/, ['personal']],
  [/^\.local\/state\/svc\/batches?(\.db|\/)/, ['personal']],
  [/^\.config\/svc\/forwarding/, ['secret']],
];

const DATA: readonly (readonly [line: RegExp, holds: readonly Kind[]])[] = [
  [/^webhooks register/, ['secret']],
  [/^events forward --print-secret/, ['secret']],
  [/^sandbox key/, ['secret']],
  [/^sandbox (start|status)/, ['secret', 'code']],
  [/^sandbox export/, ['secret', 'personal']],
  [/^sandbox import/, ['secret']],
  [/--dry-run/, ['personal']],
  [/^requests show/, ['personal']],
  [/^batches export/, ['personal']],
  // `svc api` prints the answer of the service byte for byte.
  [/^api /, ['secret', 'code', 'personal']],
];

function isAtHome({ kind }: Canary, place: Place, line: string): boolean {
  if (place.name === 'file')
    return STORES.some(([path, holds]) => path.test(place.path ?? '') && holds.includes(kind));
  return place.name === 'stdout' && DATA.some(([words, holds]) => words.test(line) && holds.includes(kind));
}

/** The next command repeats what was typed, because with a masked document it would be another request. */
function withoutNextCommand(stderr: string): string {
  return stderr.replace(/"next_command":"(?:[^"\\]|\\.)*"/g, '').replace(/^Next: .*$/gm, '');
}

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

export function canariesOf(apiKey: string): Canary[] {
  return [
    ...PERSONAL,
    secret('the API key', apiKey),
    secret('the signing secret of the variable', ENV_SECRET),
    secret('the signing secret of the file', FILE_SECRET),
  ];
}
