import { renderNote } from '../output/error-prose.js';
import type { Ports } from '../runtime/ports.js';
import type { Choices } from '../session/choices.js';
import type { ServiceConnection } from '../session/connection.js';
import type { Where } from '../session/place-flags.js';
import type { Session } from '../session/session.js';
import type { Stores } from '../storage/stores.js';

export interface App extends AsyncDisposable {
  choices(): Promise<Choices>;
  stores(): Promise<Stores>;
  openJournal(): ReturnType<Stores['openJournal']>;
  /** Only the first call opens the session, so only its `connections` counts. */
  session(connections?: number): Promise<Session>;
  quietSession(): Promise<Session>;
}

export interface AppFlags extends Where {
  readonly timeout?: string | undefined;
  readonly quiet: boolean;
  readonly debug: boolean;
}

export function appOf(ports: Ports, flags: AppFlags, openEmbedded: () => Promise<ServiceConnection>): App {
  const readChoices = memoize(async () => (await import('../session/target.js')).readChoices(ports, flags));
  const openStores = memoize(async () => {
    const [choices, stateModule] = await Promise.all([readChoices(), import('../session/state-place.js')]);
    const state = stateModule.sharedStateOf(choices, ports, flags);
    const note = memoize(async (textOf: () => string | null) => {
      const text = flags.quiet ? null : textOf();
      if (text !== null) await ports.errors.write(text);
    });
    if (state !== null && !choices.isNothingConfigured) {
      const { sharedStores } = await import('../storage/shared-stores.js');
      const noteUnsealed = () => note(() => stateModule.unsealedNote(ports.env));
      const machine = () => stateModule.machineOptions(ports);
      return sharedStores(state, { ports, flags, machine, noteUnsealed });
    }
    const { fileStores } = await import('../storage/file-stores.js');
    const text =
      state && `The embedded sandbox keeps its state on this machine and does not use ${state.name}.`;
    return fileStores(ports, () => note(() => text && renderNote(text, ports.errors)));
  });
  const openNewSession = async (connections?: number): Promise<Session> => {
    const [{ openSession, resolveTarget }, { timeoutOf }] = await Promise.all([
      import('../session/session.js'),
      import('../runtime/typed-time.js'),
    ]);
    const timeoutMs = timeoutOf(flags);
    const target = await resolveTarget(await readChoices(), ports);
    const options = { ports, target, timeoutMs, isQuiet: flags.quiet, isDebug: flags.debug };
    return openSession(options, async () => {
      if (target.kind === 'embedded') return openEmbedded();
      const { connectTo } = await import('../session/connection.js');
      return connectTo(ports, target, flags['ca-file'], connections);
    });
  };
  let session: Promise<Session> | null = null;
  const openOnce = (connections?: number) => (session ??= openNewSession(connections));
  const writeOpeningNotes = memoize(async (openedSession: Session) => {
    for (const text of openedSession.openingNotes) await openedSession.note(text);
  });
  return {
    choices: readChoices,
    stores: openStores,
    openJournal: async () => (await openStores()).openJournal(),
    async session(connections) {
      const openedSession = await openOnce(connections);
      await writeOpeningNotes(openedSession);
      return openedSession;
    },
    quietSession: async () => (await openOnce()).quietOver(ports),
    async [Symbol.asyncDispose]() {
      const openedSession = await session?.catch(() => null);
      session = null;
      await openedSession?.close();
    },
  };
}

function memoize<A extends readonly unknown[], T>(
  make: (...args: A) => Promise<T>,
): (...args: A) => Promise<T> {
  let result: Promise<T> | null = null;
  return (...args) => (result ??= make(...args));
}
