/** The words by which a status column says that a line was paid, or was not: void, rejected, reversed, or not yet. English, Spanish, Portuguese. Pure. */
import { unaccented } from '../../sheet/words.js';

/** Whether a line with that word counts. */
export type PaymentStatus = 'paid' | 'unpaid';

/** What `--map` says that words mean, as they were typed. */
export interface StatusWords {
  readonly paid: readonly string[];
  readonly unpaid: readonly string[];
}

export const NO_WORDS: StatusWords = { paid: [], unpaid: [] };

/** Only as the whole of what is said: `pagado y devuelto` is not paid. */
const PAID = new Set(
  list(
    'paid, pagado, pagada, pago, paga, ok, si, yes, success, successful, succeeded, exitoso, exitosa, exito, con exito, sucesso, com sucesso, complete, completed, completado, completada, completo, completa, confirmed, confirmado, confirmada, approved, aprobado, aprobada, aprovado, aprovada, processed, procesado, procesada, processado, processada, executed, ejecutado, ejecutada, executado, executada, settled, liquidado, liquidada, cleared, compensado, compensada, posted, booked, contabilizado, contabilizada, asentado, asentada, applied, aplicado, aplicada, credited, acreditado, acreditada, creditado, creditada, abonado, abonada, debitado, debitada, cobrado, cobrada, done, finished, finalizado, finalizada, concluido, concluida, realizado, realizada, efectuado, efectuada, efetuado, efetuada, efetivado, efetivada, efectivo, conciliado, conciliada, operacion exitosa, transaccion exitosa, pago exitoso, pago procesado, transferencia exitosa',
  ),
);
/** Wherever it stands, unless a denial stands before it. */
const UNPAID = new Set(
  list(
    'void, voided, annulled, anulado, anulada, anul, anulacion, nulo, nula, cancelled, canceled, cancelado, cancelada, cancelacion, rejected, reject, rechazado, rechazada, rechazo, rech, rejeitado, rejeitada, recusado, recusada, declined, declinado, declinada, denied, denegado, denegada, negado, negada, failed, failure, fail, fallido, fallida, fallo, fallado, falhou, falha, error, erro, erroneo, reversed, reversal, reverse, reverted, reversado, reversada, reverso, reversion, revertido, revertida, estornado, estornada, estorno, extornado, extornada, extorno, returned, return, devuelto, devuelta, devolucion, devolvido, devolvida, refunded, refund, reembolsado, reembolsada, reembolso, reintegrado, reintegrada, reintegro, chargeback, contracargo, disputed, bounced, rebotado, rebotada, deleted, eliminado, eliminada, borrado, borrada, invalid, invalido, invalida, expired, expirado, expirada, vencido, vencida, caducado, caducada, pending, pendiente, pendente, processing, proceso, processamento, transito, scheduled, programado, programada, agendado, agendada, diferido, diferida, retenido, retenida, blocked, bloqueado, bloqueada, suspendido, suspendida, hold, unpaid, unsuccessful, impagado, impagada, impago',
  ),
);
/** Before a word it says the contrary, whatever that is. */
const DENIALS = new Set(list('no, not, non, nao, sin, sem, without, never, nunca, ni'));
const WHOLE_UNPAID = new Set(
  list(
    'no, not paid, no pagado, no pagada, no procesado, no procesada, no exitoso, no exitosa, no aprobado, no aprobada, no aplicado, no aplicada, no ejecutado, no ejecutada, no confirmado, no confirmada, no conciliado, no conciliada, sin efecto, sin procesar, sin exito, por procesar, por aprobar, por pagar, en espera, em espera, en curso, on hold, in progress, nao pago, nao processado, to be paid',
  ),
);

/** What the word means: as was said of it, else as banks use it; null where nobody knows. A cell that is empty says nothing, and its line was paid. */
export function statusOf(text: string, said: StatusWords): PaymentStatus | null {
  const word = folded(text);
  if (said.unpaid.some((one) => folded(one) === word)) return 'unpaid';
  if (said.paid.some((one) => folded(one) === word)) return 'paid';
  if (word === '' || PAID.has(word)) return 'paid';
  if (WHOLE_UNPAID.has(word)) return 'unpaid';
  const parts = word.split(' ');
  if (parts.some((part) => DENIALS.has(part))) return null;
  return parts.some((part) => UNPAID.has(part)) ? 'unpaid' : null;
}

const YES = new Set(list('si, s, yes, y, x, true, verdadero, v, 1, sim'));
const NO = new Set(list('no, n, false, falso, f, 0, nao'));

/** A column that is called like what was not paid, as in `Anulado`: whether a line is so. Null where nobody knows. */
export function statusByAnswer(text: string, said: StatusWords): PaymentStatus | null {
  const word = folded(text);
  if (said.unpaid.some((one) => folded(one) === word)) return 'unpaid';
  if (said.paid.some((one) => folded(one) === word)) return 'paid';
  if (NO.has(word)) return 'paid';
  return YES.has(word) ? 'unpaid' : statusOf(text, said);
}

/** Whether a column of that name asks whether a line was not paid. */
export function isRefusal(name: string): boolean {
  return UNPAID.has(folded(name));
}

/** Without case, accents and marks; a text that is nothing but marks stays. */
function folded(text: string): string {
  const plain = unaccented(text).trim();
  return plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim() || plain;
}

function list(words: string): readonly string[] {
  return words.split(', ');
}
