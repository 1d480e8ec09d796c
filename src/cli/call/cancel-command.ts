/** A cancel: where it moves real money and a person is there, it is confirmed first, over the operation as it is now. */
import type { Conversation } from '../../client/client.js';
import { answerOf } from '../../client/attempt.js';
import { conclude } from '../../client/conclusion.js';
import { endpoint } from '../../contract/endpoints.js';
import { failureOf } from './conclusion-failure.js';
import { confirmLive, isConfirmed } from './confirmation.js';
import { EndpointCommand, type EndpointLine, type Input } from './endpoint-command.js';
import type { Session } from '../session/session.js';

export abstract class CancelCommand extends EndpointCommand {
  protected override async call(line: EndpointLine, session: Session, input: Input): Promise<Conversation> {
    if (isConfirmed(this.ports, line.flags, session)) {
      const operation = await this.lookUp(line, session, input);
      await confirmLive(this.ports, line.flags, session, operation, this.row);
    }
    return super.call(line, session, input);
  }

  /** What would be cancelled. @throws Failure where it cannot be read: nobody can say yes to what nobody sees */
  private async lookUp({ flags }: EndpointLine, session: Session, { id = '' }: Input) {
    const row = endpoint(this.row).lookup ?? 'transactions.get';
    const read = await session.client.call(row, { id }, { signal: this.ports.signal });
    const conclusion = conclude(read);
    if (conclusion.exitCode !== 0) throw failureOf(conclusion, read, this.house, flags);
    const { body = new Uint8Array() } = answerOf(read.attempts.at(-1)) ?? {};
    return JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>;
  }
}
