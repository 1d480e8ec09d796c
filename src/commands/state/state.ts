/** The jobs of `svc state`: the tables that machines share are made, and looked at. */
import { printerOfAnything } from '../../cli/printing/printer.js';
import { sharedStateOf, stateIn, stateKeyIn, worldOf } from '../../cli/stores/shared.js';
import type { GlobalFlags, Run } from '../../cli/command.js';
import { Failure } from '../../runtime/failure.js';

export type InitFlags = GlobalFlags & {
  readonly print: boolean;
  readonly owner?: string | undefined;
  readonly worker?: string | undefined;
  readonly reader?: string | undefined;
};

/** @throws Failure `usage` where nothing is shared, `unsafe` for live, `local_state` */
export async function initState(run: Run<InitFlags>): Promise<void> {
  const { ports, flags } = run;
  // Refuses the live environment.
  sharedStateOf(run);
  const { place, shown } = required(run);
  const environment = place.environment ?? 'sandbox';
  const { requireRoles, ROLES, scriptOf } = await import('../../state/roles.js');
  const { owner = ROLES.owner, worker = ROLES.worker, reader = ROLES.reader } = flags;
  const roles = requireRoles({ owner, worker, reader });
  if (flags.print) {
    const { initialSql } = await import('../../state/tables.js');
    const initial = initialSql(place.schema, environment, stateKeyIn(ports));
    await ports.output.write(scriptOf(initial, place.schema, roles));
    return;
  }
  const printer = await printerOfAnything(ports, flags);
  const { makeTables } = await import('../../state/standing.js');
  const made = await makeTables({ ...worldOf(ports), place }, environment, roles);
  await printer.answer(Buffer.from(JSON.stringify({ url: shown, ...made })));
}

/** @throws Failure `usage` where nothing is shared, `local_state` where it can't be reached */
export async function showState(run: Run): Promise<void> {
  const { ports, flags } = run;
  const { place, shown } = required(run);
  const printer = await printerOfAnything(ports, flags);
  const { standingOf } = await import('../../state/standing.js');
  const state = await standingOf({ ...worldOf(ports), place });
  await printer.answer(Buffer.from(JSON.stringify({ url: shown, ...state })));
}

function required(run: Run) {
  const state = stateIn(run);
  if (state !== null) return state;
  throw new Failure(
    'usage',
    'No state is shared: this machine keeps it in files. --state-url postgres://USER@HOST/DATABASE shares it, or SVC_STATE.',
  );
}
