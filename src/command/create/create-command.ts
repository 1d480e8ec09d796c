/** What both creates share: a body from flags and data, the check before anything leaves, and a key that is noted first. */
import type * as Interfaces from '@oclif/core/interfaces';
import type { Prepared } from '../../client/preparation.js';
import type { Direction } from '../../contract/methods.js';
import type { GlobalFlags } from '../base.js';
import { assignment, buildBody, objectAssignment, pathAssignments, type Assignment } from '../line/body.js';
import { catalogSource, type CatalogSource } from '../session/catalog.js';
import { confirmLive } from '../call/confirmation.js';
import { checkBeforeSending, missingPlace } from './create-check.js';
import { readData } from '../line/data.js';
import { EndpointCommand, usageOf, type EndpointLine, type Input } from '../call/endpoint-command.js';
import type { createFlags } from '../line/flags.js';
import { printDryRun } from './dry-run.js';
import { sendKeyed } from './keyed.js';
import { printerFor } from '../printer.js';
import type { Session } from '../session/session.js';

/** The command line of a create, as this base sees it. */
export interface CreateLine extends EndpointLine {
  readonly flags: GlobalFlags & Interfaces.InferredFlags<typeof createFlags>;
}

/** A body, and the catalog it was checked against. */
interface CreateInput extends Input {
  readonly body: Uint8Array;
  readonly catalog: CatalogSource;
}

export abstract class CreateCommand extends EndpointCommand {
  /** What the flags of this kind of create put into the body. */
  protected abstract assignments(line: object): Assignment[];

  private get direction(): Direction {
    return this.row === 'payins.create' ? 'payin' : 'payout';
  }

  protected override async act(line: CreateLine, session: Session): Promise<void> {
    const { flags } = line;
    const input = await this.input(line, session);
    const prepared = this.prepare(line, session, input);
    if (flags['dry-run']) {
      await printDryRun(prepared, flags, this.ports);
      return;
    }
    const printer = await printerFor(this.ports, flags, this.row);
    await confirmLive(this.ports, flags, session, parse(input.body), this.row);
    await sendKeyed(session, this.house, flags, prepared, (conversation) => {
      if (conversation.attempts.at(-1)?.kind === 'refused') input.catalog.forget();
      return this.present(line, session, conversation, printer);
    });
  }

  protected override async input(line: CreateLine, session: Session): Promise<CreateInput> {
    const catalog = catalogSource(session, this.ports);
    const draft = await this.draft(line);
    const place = await missingPlace(parse(draft), session.defaults, this.direction, catalog);
    const body = buildBody(draft, [
      ...assignment('--country', 'country', place.country),
      ...assignment('--currency', 'currency', place.currency),
    ]);
    const isChecked = await checkBeforeSending(parse(body), this.direction, catalog);
    if (!isChecked) await session.note('The catalog could not be read: the request goes out unchecked.');
    return { body, catalog };
  }

  /** The body as flags and data give it, whatever is missing. @throws Failure `usage` */
  protected async draft(line: CreateLine): Promise<Uint8Array> {
    const data = await readData(line.flags, this.ports);
    return buildBody(data, [...commonAssignments(line.flags), ...this.assignments(line)]);
  }

  private prepare({ flags }: CreateLine, session: Session, input: Input): Prepared {
    try {
      return session.client.prepare(this.row, input, flags['idempotency-key']);
    } catch (error) {
      return usageOf(error);
    }
  }
}

function commonAssignments(flags: CreateLine['flags']): Assignment[] {
  return [
    ...(['amount', 'country', 'currency', 'method', 'reference'] as const).flatMap((name) =>
      assignment(`--${name}`, name, flags[name]),
    ),
    ...objectAssignment('--metadata-json', 'metadata', flags['metadata-json']),
    ...(flags.metadata === undefined ? [] : metadataAssignments(flags.metadata)),
  ];
}

/** A metadata key is one name: its dots are its own. */
function metadataAssignments(values: readonly string[]): Assignment[] {
  return pathAssignments('--metadata', ['metadata'], values).map(
    ({ path: [top = '', ...name], ...rest }) => ({
      ...rest,
      path: [top, name.join('.')],
    }),
  );
}

function parse(body: Uint8Array): Record<string, unknown> {
  return JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>;
}
