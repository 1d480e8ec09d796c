/** What both creates share: a body from flags and data, the check before anything leaves, and a key that is noted first. */
import type * as Interfaces from '@oclif/core/interfaces';
import type { Prepared } from '../client/preparation.js';
import type { Direction } from '../contract/methods.js';
import { isFoldable } from '../contract/reference.js';
import { Failure } from '../runtime/failure.js';
import type { GlobalFlags } from './command.js';
import { assignment, buildBody, objectAssignment, pathAssignments, type Assignment } from './line/body.js';
import { catalogSource, type CatalogSource } from './session/catalog.js';
import { converse, presentFlow, sendOrAsk } from './dialogue/asking.js';
import type { FlowEnd } from './dialogue/flow.js';
import { confirmLive } from './call/confirmation.js';
import { checkBeforeSending, missingPlace, requireMetadataFits } from './create/create-check.js';
import { readData } from './line/data.js';
import { EndpointCommand, usageOf, type EndpointLine, type Input } from './call/endpoint-command.js';
import type { createFlags } from './line/flags.js';
import { printDryRun } from './create/dry-run.js';
import { keyedOptions, sendKeyed } from './create/keyed.js';
import { printerFor } from './printing/printer.js';
import type { Session } from './session/session.js';

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

  /** Sends; where a person may be asked for what is missing, the dialogue takes its place. */
  protected override async act(line: CreateLine, session: Session): Promise<void> {
    const { flags } = line;
    const ask = async (): Promise<FlowEnd | null> =>
      converse(this.house, flags, {
        ...({ kind: 'new', direction: this.direction } as const),
        draft: await this.draft(line),
      });
    const flow = await sendOrAsk(this.ports, flags, () => this.send(line, session), ask);
    if (flow === null) return;
    await presentFlow(this.ports, flags, this.row, flow, (judged, conversation, printer) =>
      this.present({ ...line, flags: { ...flags, ...judged } }, session, conversation, printer),
    );
  }

  private async send(line: CreateLine, session: Session): Promise<void> {
    const { flags } = line;
    const input = await this.input(line, session);
    const prepared = this.prepare(line, session, input);
    if (flags['dry-run']) {
      await printDryRun(prepared, flags, this.ports);
      return;
    }
    const printer = await printerFor(this.ports, flags, this.row);
    await confirmLive(this.ports, flags, session, parse(input.body), this.row);
    await sendKeyed(session, this.house, flags, prepared, keyedOptions(flags), (conversation) => {
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
    requireFoldable(parse(body)['reference']);
    requireMetadataFits(body);
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

/** @throws Failure `usage` for a reference whose folded form another version of Unicode might change */
function requireFoldable(reference: unknown): void {
  if (typeof reference !== 'string' || isFoldable(reference)) return;
  throw new Failure(
    'usage',
    'The reference holds a character that is not assigned in Unicode. Nothing was sent.',
    { code: 'field_invalid', details: [{ field: 'reference', code: 'invalid' }] },
  );
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
