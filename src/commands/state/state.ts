/** The jobs of `svc state`: the tables that machines share are made, and looked at. */
import * as Flags from '@oclif/core/flags';
import type * as Interfaces from '@oclif/core/interfaces';
import { printerOfAnything } from '../../cli/printing/printer.js';
import { stateIn, stateKeyIn, worldOf } from '../../cli/stores/shared-state.js';
import type { GlobalFlags, Run } from '../../cli/command.js';
import { Failure } from '../../runtime/failure.js';
import type { RoleNames } from '../../state/roles.js';

/** Who may do what with the tables. */
export const roleFlags = {
  worker: Flags.string({ summary: 'Role that sends [default: svc_worker]', helpValue: 'ROLE' }),
  reader: Flags.string({ summary: 'Role that reads [default: svc_reader]', helpValue: 'ROLE' }),
};

type TableFlags = GlobalFlags &
  Interfaces.InferredFlags<typeof roleFlags> & {
    readonly print: boolean;
    readonly owner?: string | undefined;
  };

async function rolesOf({ owner, worker, reader }: TableFlags): Promise<RoleNames> {
  const { requireRoles, ROLES } = await import('../../state/roles.js');
  return requireRoles({
    owner: owner ?? ROLES.owner,
    worker: worker ?? ROLES.worker,
    reader: reader ?? ROLES.reader,
  });
}

/** @throws Failure `usage` where nothing is shared, `unsafe` for a live one without a key, `local_state` */
export async function initState(run: Run<TableFlags>): Promise<void> {
  const { ports, flags } = run;
  const { place, shown } = requiredState(run);
  const environment = place.environment ?? 'sandbox';
  const roles = await rolesOf(flags);
  if (flags.print) {
    const { scriptOf } = await import('../../state/roles.js');
    const { initialSql } = await import('../../state/tables.js');
    const initial = initialSql(place.schema, environment, stateKeyIn(ports));
    await ports.output.write(scriptOf(initial, place.schema, roles));
    return;
  }
  const printer = await printerOfAnything(ports, flags);
  const { makeTables } = await import('../../state/making.js');
  const made = await makeTables({ ...worldOf(ports), place }, environment, roles);
  await printer.answer(Buffer.from(JSON.stringify({ url: shown, ...made })));
}

/** @throws Failure `usage` where nothing is shared, `unsafe` while somebody is at work, `local_state` */
export async function migrateState(run: Run<TableFlags>): Promise<void> {
  const { ports, flags } = run;
  const { place, shown } = requiredState(run);
  const roles = await rolesOf(flags);
  const { migrateTables, printedMigration } = await import('../../state/migrating.js');
  const options = { ...worldOf(ports), place };
  if (flags.print) {
    await ports.output.write(await printedMigration(options, roles));
    return;
  }
  const printer = await printerOfAnything(ports, flags);
  const migrated = await migrateTables(options, roles);
  await printer.answer(Buffer.from(JSON.stringify({ url: shown, ...migrated })));
}

/** @throws Failure `usage` where nothing is shared */
export function requiredState(run: Run) {
  const state = stateIn(run);
  if (state !== null) return state;
  throw new Failure(
    'usage',
    'There is no shared state: this machine keeps its state in files. To share it, add --state-url postgres://USER@HOST/DATABASE or set SVC_STATE.',
  );
}
