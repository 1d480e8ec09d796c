/** The jobs of `svc state`: the tables that machines share are made, and looked at. */
import { printerOfAnything } from '../../cli/printing/printer.js';
import { sharedStateOf, stateIn, stateKeyIn, worldOf } from '../../cli/stores/shared.js';
import type { Run } from '../../cli/command.js';
import { Failure } from '../../runtime/failure.js';

/** @throws Failure `usage` where nothing is shared, `unsafe` for live, `local_state` */
export async function initState(run: Run, isPrinted: boolean): Promise<void> {
  const { ports, flags } = run;
  // Refuses the live environment.
  sharedStateOf(run);
  const { place, shown } = required(run);
  const { initialSql } = await import('../../state/tables.js');
  if (isPrinted) {
    await ports.output.write(initialSql(place.schema, 'sandbox', stateKeyIn(ports)));
    return;
  }
  const printer = await printerOfAnything(ports, flags);
  const { makeTables } = await import('../../state/standing.js');
  const made = await makeTables({ ...worldOf(ports), place }, 'sandbox');
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
