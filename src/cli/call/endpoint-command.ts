/** A command that stands for a row of the table: parse, call, wait, print, and end with what the conclusion says. */
import type { Conversation } from '../../client/client.js';
import { conclude, type Conclusion } from '../../client/conclusion.js';
import { InvalidRequest, type Input as Filled } from '../../client/request.js';
import type { EndpointId } from '../../contract/endpoints.js';
import { Failure } from '../../runtime/failure.js';
import { SvcCommand, type GlobalFlags } from '../command.js';
import { failureOf } from './conclusion-failure.js';
import { endingOf, printAnswer, type Ending } from './ending.js';
import { printerFor, type Printer } from '../printing/printer.js';
import { openSession, type Session } from '../session/session.js';
import { waitedFor, waitTimeoutMs } from './waiting.js';

/** What a command fills its row with. */
export interface Input extends Filled {
  /** Values that are in no log and on no screen, such as a one-time code. */
  readonly secrets?: readonly string[];
}

/** Flags that some rows have and the base looks at. */
export type EndpointFlags = GlobalFlags & {
  readonly wait?: boolean | undefined;
  readonly 'wait-timeout'?: string | undefined;
  readonly 'exit-status'?: boolean | undefined;
};

/** The command line of a row, as the base sees it; each command knows its own flags and arguments. */
export interface EndpointLine {
  readonly args: Readonly<Record<string, unknown>>;
  readonly flags: EndpointFlags;
}

export abstract class EndpointCommand extends SvcCommand {
  /** What fills the row in. @throws Failure `usage` */
  protected abstract input(line: object, session: Session): Input | Promise<Input>;

  /** The row of this command. */
  protected get row(): EndpointId {
    const { endpoint } = this.constructor as typeof SvcCommand;
    if (endpoint === null) throw new TypeError(`${this.constructor.name} stands for no row of the table`);
    return endpoint;
  }

  async run(): Promise<void> {
    const line = (await this.line(this.declared)) as EndpointLine;
    // A duration that is none is refused before anything is sent.
    waitTimeoutMs(line.flags);
    const session = await openSession(this.ports, line.flags);
    try {
      await this.act(line, session);
    } finally {
      await session.close();
    }
  }

  protected async act(line: EndpointLine, session: Session): Promise<void> {
    const input = await this.input(line, session);
    session.redactor.add(input.secrets ?? []);
    const printer = await printerFor(this.ports, line.flags, this.row);
    const conversation = await this.call(line, session, input);
    const { error } = await this.present(line, session, conversation, printer);
    if (error !== null) throw error;
  }

  /** Sends the request. Creates do more: they check, note their key and may only show the request. */
  protected async call(_line: EndpointLine, session: Session, input: Input): Promise<Conversation> {
    return session.client.call(this.row, input, { signal: this.ports.signal }).catch(usageOf);
  }

  /** Waits where that was asked for, prints the answer, and says what the command ends with. */
  protected async present(
    line: EndpointLine,
    session: Session,
    sent: Conversation,
    printer: Printer,
  ): Promise<Ending> {
    const { conversation, judge } = await waitedFor(sent, line.flags, session, this.ports);
    const conclusion = conclude(conversation, judge);
    const failure =
      conclusion.exitCode === 0 ? null : failureOf(conclusion, conversation, this.house, line.flags);
    const { answer } = conclusion;
    const notPrinted = this.isData(conclusion) ? await printAnswer(answer, conversation, printer) : null;
    const ending = endingOf(this.ports, conversation, failure, notPrinted);
    // What a read shows is looked at; what was just begun goes on.
    if (
      ending.error === null &&
      answer !== null &&
      printer.mode === 'table' &&
      conversation.retry !== 'safe'
    ) {
      const { tellNextSteps } = await import('./next-steps.js');
      // They are a help: what was carried out ends no worse where they can't be told.
      await tellNextSteps(answer.body, session, this.ports, line.flags).catch(() => undefined);
    }
    return ending;
  }

  /** An operation in hand is data whatever it says; any other answer only where it is a success. */
  private isData({ exitCode, operation, answer }: Conclusion): boolean {
    return answer !== null && (exitCode === 0 || operation !== null);
  }

  /**
   * The text of a flag that holds a secret: from standard input where it is `-`.
   * @throws Failure `usage` where it is missing or empty
   */
  protected async secretText(flag: string, value: string | undefined): Promise<string> {
    if (value === undefined) throw new Failure('usage', `${flag} is missing. Nothing was sent.`);
    const text = value === '-' ? (await this.ports.input.readAll(4096)).toString('utf8').trim() : value;
    if (text === '') throw new Failure('usage', `${flag} is empty. Nothing was sent.`);
    return text;
  }
}

/** What no request may be built from is a usage error. */
export function usageOf(error: unknown): never {
  if (error instanceof InvalidRequest) throw new Failure('usage', error.message, { cause: error });
  throw error;
}
