/** Compares what a service answers with the published contract, by reads alone: each read without an id, one pay-in, one payout, and an operation that is not there. */
import { answerOf, type Attempt } from '../../contract/attempt.js';
import type { Capabilities } from '../../contract/catalog.js';
import { endpoint, ENDPOINT_IDS, type EndpointId } from '../../contract/endpoints.js';
import { jsonIn } from '../../contract/json.js';
import { isUuid } from '../../contract/notation.js';
import { isObject } from '../../contract/shape.js';
import type { RequestInput } from '../../client/request.js';
import type { Session } from '../../cli/session/session.js';
import { escapeText } from '../../output/escape.js';
import type { Ports } from '../../runtime/ports.js';
import { type Difference, differencesOf } from '../../schema/differences.js';
import { resultNameOf } from '../../schema/openapi.js';

/** What a read showed. */
export interface Compared {
  readonly row: EndpointId;
  /** Of the answer, or of the error that came instead. */
  readonly differences: readonly Difference[];
  /** Why the answer itself was not compared, as half a sentence; null where it was. */
  readonly missed: string | null;
  /** What came is nothing that the contract allows. */
  readonly isBroken: boolean;
}

/** How many events are read to find a pay-in and a payout. */
const EVENTS_READ = '50';

const OPERATIONS = [
  ['payins.get', 'payin'],
  ['payouts.get', 'payout'],
] as const;

export async function compareContract(
  session: Session,
  { signal, random }: Pick<Ports, 'signal' | 'random'>,
): Promise<Compared[]> {
  const compared: Compared[] = [];
  const read = async (row: EndpointId, input: RequestInput): Promise<unknown> => {
    const { attempts } = await session.client.call(row, input, { attemptsMax: 2, signal });
    const { value, ...seen } = readAs(row, attempts.at(-1));
    compared.push({ row, ...seen });
    return value;
  };
  const catalog = (await read('capabilities', {})) as Partial<Capabilities> | undefined;
  const country = catalog?.countries?.[0]?.code;
  for (const row of ENDPOINT_IDS) {
    const { retry, path, requires = [] } = endpoint(row);
    if (retry !== 'safe' || path.includes('{id}') || row === 'capabilities' || row === 'events.list')
      continue;
    await read(row, requires.includes('country') ? { query: { country } } : {});
  }
  const page = await read('events.list', { query: { limit: EVENTS_READ } });
  const events = isObject(page) && Array.isArray(page['events']) ? (page['events'] as unknown[]) : [];
  for (const [row, type] of OPERATIONS) {
    const operation = events.map(dataOf).find((data) => data['type'] === type);
    if (typeof operation?.['id'] === 'string' && isUuid(operation['id']))
      await read(row, { id: operation['id'] });
  }
  await read('transactions.get', { id: random.uuid() });
  return compared;
}

/** @returns with the value of a success */
function readAs(
  row: EndpointId,
  attempt: Attempt | undefined,
): Omit<Compared, 'row'> & { readonly value?: unknown } {
  const answer = answerOf(attempt);
  if (answer === null) return { differences: [], missed: 'no answer came', isBroken: false };
  const value = jsonIn(answer.body);
  if (answer.status === endpoint(row).success && value !== undefined)
    return { value, differences: differencesOf(resultNameOf(row), value), missed: null, isBroken: false };
  const error = attempt !== undefined && 'error' in attempt ? attempt.error : null;
  const code = error === null ? '' : ` (${escapeText(error.code)})`;
  return {
    differences: error === null ? [] : differencesOf('Error', value),
    // One operation that is not there is asked for on purpose.
    missed: error?.code === 'not_found' ? null : `the service answered ${String(answer.status)}${code}`,
    isBroken: error === null && (attempt?.kind === 'broken' || attempt?.kind === 'unreadable'),
  };
}

function dataOf(event: unknown): Readonly<Record<string, unknown>> {
  return isObject(event) && isObject(event['data']) ? event['data'] : {};
}

const SHOWN_MAX = 20;

/** What differs, as sentences; what has grown and what is broken apart. */
export function differenceTexts(differences: readonly Difference[]): {
  grown: string | null;
  broken: string | null;
} {
  const said = (kinds: readonly Difference['kind'][], what: string): string | null => {
    const those = differences.filter(({ kind }) => kinds.includes(kind));
    if (those.length === 0) return null;
    const shown = those.slice(0, SHOWN_MAX).map(textOf).join(', ');
    const more = those.length > SHOWN_MAX ? `, and ${String(those.length - SHOWN_MAX)} more` : '';
    return `${what}: ${shown}${more}.`;
  };
  return {
    grown: said(['unknown_member', 'unknown_value'], 'The answer has what the contract does not know'),
    broken: said(['missing_member', 'other_value'], 'The answer does not keep to the contract'),
  };
}

function textOf({ kind, path, word }: Difference): string {
  const place = path === '' ? 'the whole answer' : path;
  if (kind === 'missing_member') return `${place} is missing`;
  if (kind === 'other_value') return `${place} is of another form`;
  return word === null ? place : `${place} ${JSON.stringify(word)}`;
}
