import { moneyText } from '../../contract/money.js';
import { idBeginning } from '../../contract/notation.js';
import { Failure } from '../../runtime/failure.js';
import type { Run } from '../../command/command.js';
import type { FoundOperation } from './found-operation.js';
import { endpointDirection } from '../../contract/endpoints.js';
import type { Direction } from '../../contract/operation.js';
import { svcLine } from '../../runtime/shell.js';
import type { EndpointRun } from '../../command/call.js';
import { whereFlags } from '../../session/place-flags.js';

type IdEcho = 'shown' | 'quiet';

interface WithId {
  readonly args: { readonly id: string };
}

export async function completeTypedId<R extends Run & WithId>(run: R, echo: IdEcho = 'quiet'): Promise<R> {
  const typedId = run.args.id;
  const id = await completeId(typedId, run, echo);
  return { ...run, args: { ...run.args, id }, typed: replaceTypedId(run.typed, typedId, id) };
}

export async function completeIdFlag<
  Name extends 'operation' | 'id',
  R extends Run & { readonly flags: Readonly<Partial<Record<Name, string | undefined>>> },
>(run: R, name: Name): Promise<R> {
  const typedId: string | undefined = run.flags[name];
  if (typedId === undefined) return run;
  const id = await completeId(typedId, run, 'quiet');
  return { ...run, flags: { ...run.flags, [name]: id }, typed: replaceTypedId(run.typed, typedId, id) };
}

async function completeId(typedId: string, run: Run, echo: IdEcho): Promise<string> {
  const beginning = idBeginning(typedId);
  if (beginning === null) return typedId;
  const id = await findWholeId(typedId, beginning, run);
  if (echo === 'shown') await run.ports.errors.write(`Operation: ${id}\n`);
  return id;
}

const SHOWN_MAX = 20;

async function findWholeId(typedId: string, beginning: string, run: Run): Promise<string> {
  const { openKnownOperations } = await import('./known-operations.js');
  const quietRun = { ...run, flags: { ...run.flags, quiet: true }, session: await run.app.quietSession() };
  const search = async (isOffline: boolean): Promise<FoundOperation[]> => {
    await using knownOperations = await openKnownOperations(quietRun, isOffline, 'news');
    return await knownOperations.findByIdBeginning(beginning, SHOWN_MAX + 1);
  };
  const localMatches = await search(true);
  const matches = localMatches.length > 0 ? localMatches : await search(false);
  const [firstMatch, secondMatch] = matches;
  if (firstMatch === undefined)
    throw new Failure(
      'not_found',
      `No operation known to this machine has an id that begins with ${typedId}. ` +
        'Nothing was sent. Give the whole id, and svc reads it from the service.',
      { code: 'not_found', outcome: 'not_sent' },
    );
  if (secondMatch === undefined) return firstMatch.id;
  const items = matches.slice(0, SHOWN_MAX).map((operation) => {
    const { id, direction, status, reference } = operation;
    const words = [id, direction, moneyText(operation), status].filter((word) => word !== '');
    return `${words.join(' ')}${reference === null ? '' : `, reference ${reference}`}`;
  });
  if (matches.length > SHOWN_MAX) items.push('and more');
  throw new Failure('usage', `Several ids begin with ${typedId}. Nothing was sent.`, {
    ...{ code: 'id_ambiguous', outcome: 'not_sent', items },
    advice: ['Type more of the id.'],
  });
}

const ID_FLAGS: readonly string[] = ['--operation', '--id'];

function replaceTypedId(words: readonly string[], typedId: string, id: string): readonly string[] {
  const mayBeTypedId = (word: string): boolean =>
    word === typedId || ID_FLAGS.some((flag) => word === `${flag}=${typedId}`);
  const isSurelyTypedId = (word: string, at: number): boolean => {
    const previousWord = words[at - 1] ?? '';
    return mayBeTypedId(word) && (!previousWord.startsWith('-') || ID_FLAGS.includes(previousWord));
  };
  const surelyAt = words.findIndex(isSurelyTypedId);
  const at = surelyAt === -1 ? words.findIndex(mayBeTypedId) : surelyAt;
  return words.map((word, index) => (index === at ? word.replace(typedId, () => id) : word));
}

export async function withDirectionHint(run: EndpointRun & WithId, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { id } = run.args;
    const typedDirection = endpointDirection(run.endpointId);
    if (!(error instanceof Failure) || error.kind !== 'not_found' || typedDirection === undefined)
      throw error;
    const direction = await localDirection(id, run);
    if (direction === null || direction === typedDirection) throw error;
    const text = `${id} is a ${DIRECTION_NAMES[direction]}, not a ${DIRECTION_NAMES[typedDirection]}.`;
    const nextCommand = svcLine(`${direction}s get`, whereFlags(run.flags), [id]);
    throw new Failure(error.kind, text, { ...error.facts, nextCommand, cause: error });
  }
}

const DIRECTION_NAMES = { payin: 'pay-in', payout: 'payout' } as const satisfies Record<Direction, string>;

async function localDirection(id: string, run: Run): Promise<Direction | null> {
  const { openKnownOperations } = await import('./known-operations.js');
  try {
    const sessionRun = { ...run, session: await run.app.quietSession() };
    await using knownOperations = await openKnownOperations(sessionRun, true, 'news');
    const [operation] = await knownOperations.findByIdBeginning(id.toLowerCase(), 1);
    return operation?.direction ?? null;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}
