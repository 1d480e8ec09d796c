/** The state that machines share, where one is set: where it is, and how it is. */
import { sharedStateOf, stateIn, type StoresRun, worldOf } from '../../cli/stores/shared-state.js';
import type { Session } from '../../cli/session/session.js';
import { Failure } from '../../runtime/failure.js';
import { error, ok, type Checked } from './checked.js';

/** Nothing where nothing is said of it. What stands in its way is what is wrong with it, and hides nothing else. */
export async function checkShared(session: Session, run: StoresRun): Promise<Checked[]> {
  try {
    return await look(session, run);
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    return [error('state', failure.kind, failure.message, failure.facts.nextCommand ?? null)];
  }
}

async function look(session: Session, run: StoresRun): Promise<Checked[]> {
  const said = stateIn(run);
  if (said === null) return [];
  const shared = sharedStateOf(run);
  if (shared === null) return [ok('state', `files: ${said.name} is not used for the embedded sandbox`)];
  const { standingOf } = await import('../../state/standing.js');
  const { clock } = session;
  const compared = clock.isHeard() ? ('service' as const) : ('machine' as const);
  const options = { ...worldOf(run.ports), place: shared.place, patienceMs: 0 };
  const state = await standingOf(options, { whose: compared, now: () => clock.now() });
  const where = `${shared.shown} (${shared.name}), answered in ${String(state.reachable_ms)} ms`;
  const checks = state.checks.map(({ check, status, detail, kind }) => ({
    ...{ check: `state ${check}`, status, message: detail, kind, fix: null },
  }));
  return [ok('state', where), ...checks];
}
