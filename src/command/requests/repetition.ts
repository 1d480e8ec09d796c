/** `svc requests repeat`: the same bytes with the same key to the same address, as one more sending of an open request. */
import { conclude } from '../../client/conclusion.js';
import type { Conversation } from '../../client/client.js';
import { isRepeatable, type KeptIntent } from '../../journal/intent.js';
import { Failure } from '../../runtime/failure.js';
import type { GlobalFlags, House } from '../base.js';
import { isSamePlace, maskOfKey, placeOf } from '../session/address.js';
import { failureOf } from '../call/conclusion-failure.js';
import { endingOf, printAnswer, type Ending } from '../call/ending.js';
import { sendRecorded, settlesAll } from '../create/keyed.js';
import { nextCommand } from '../call/next.js';
import { printerFor, type Printer } from '../printer.js';
import { notThere, otherPlace, tooOld } from './request-failures.js';
import { onlyRequest, withJournal } from './requests.js';
import { openSession, type Session } from '../session/session.js';

/**
 * Sends the same bytes with the same key to the same address again, once more with its three attempts.
 * @throws Failure `not_found`, `unsafe` (too old, another address or environment), or by the table of exit codes
 */
export async function repeatRequest(house: House, key: string, flags: GlobalFlags): Promise<void> {
  const { ports } = house;
  await withJournal(house, async (journal) => {
    const open = journal.list(key);
    if (open.length === 0) throw notThere();
    const session = await openSession(ports, flags);
    try {
      const intent = repeatable(open, session, ports.clock.now());
      const printer = await printerFor(ports, flags, intent.endpoint);
      if (intent.keyMask !== maskOfKey(session.key)) {
        await session.note(`The API key is another one than when this was sent (${intent.keyMask}).`);
      }
      const prepared = session.client.prepareRaw('POST', intent.path, { body: intent.body }, key);
      const present = (conversation: Conversation): Promise<Ending> =>
        presentRepetition(conversation, house, flags, printer);
      await sendRecorded(journal, intent, session, house, flags, prepared, present);
    } finally {
      await session.close();
    }
  });
}

/** What is printed is the operation; unless this answer settles it, the sending before it is still open, whatever became of this one. */
async function presentRepetition(
  conversation: Conversation,
  house: House,
  flags: GlobalFlags,
  printer: Printer,
): Promise<Ending> {
  const conclusion = conclude(conversation);
  const { operation, answer, exitCode } = conclusion;
  const notPrinted = operation === null ? null : await printAnswer(answer, conversation, printer);
  if (exitCode === 0) return endingOf(house.ports, conversation, null, notPrinted);
  const failure = failureOf(conclusion, conversation, house, flags);
  if (settlesAll(conversation)) return endingOf(house.ports, conversation, failure, notPrinted);
  const next = { kind: 'repeat', key: conversation.idempotencyKey ?? '' } as const;
  const facts = {
    outcome: 'unknown',
    nextCommand: nextCommand(next, house.typed, flags) ?? undefined,
  } as const;
  const open = new Failure(failure.kind, failure.message, { ...failure.facts, ...facts });
  return endingOf(house.ports, conversation, open, notPrinted);
}

/** The one that may be sent again from here and now. @throws Failure `unsafe` */
function repeatable(sendings: readonly KeptIntent[], session: Session, nowMs: number): KeptIntent {
  const here = placeOf(session);
  const [elsewhere] = sendings;
  const sentHere = sendings.filter((sending) => isSamePlace(sending, here));
  if (sentHere.length === 0 && elsewhere !== undefined) throw otherPlace(elsewhere, here);
  const intent = onlyRequest(sentHere);
  if (!isRepeatable(intent, nowMs)) throw tooOld(intent);
  return intent;
}
