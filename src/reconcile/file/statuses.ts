/** Which lines were paid, by a status column in English, Spanish or Portuguese. Unpaid lines are left out; for unknown words the person must decide. */
import { plainText } from '../../sheet/amount.js';
import { excerpt, unaccented } from '../../sheet/words.js';
import type { PlannedColumn, StatusWords } from './plan.js';

const WORDS_KEPT = 20;

type StatusRead =
  | { readonly kind: 'paid' }
  /** And what its column says, for people. */
  | { readonly kind: 'unpaid'; readonly why: string }
  | { readonly kind: 'unknown'; readonly problem: string };

const PAID: StatusRead = { kind: 'paid' };

export class Statuses {
  readonly #own: PlannedColumn | null;
  readonly #leftOut: readonly PlannedColumn[];
  readonly #words: StatusWords;
  readonly #unpaid = new Set<string>();
  readonly #known = new Map<string, PaymentStatus | null>();

  /** @param leftOut columns that are one by their names, which are not looked at: only what was surely not paid is a question there */
  constructor(columns: readonly PlannedColumn[], words: StatusWords, leftOut: readonly PlannedColumn[]) {
    this.#own = columns.find(({ field }) => field === 'status') ?? null;
    this.#leftOut = leftOut;
    this.#words = words;
  }

  /** The words that took a line out, as they stand there: the first of them. */
  get unpaid(): readonly string[] {
    return [...this.#unpaid];
  }

  read(cells: readonly string[]): StatusRead {
    const read = this.#own === null ? PAID : this.#ownOf(cells, this.#own);
    if (read.kind !== 'paid') return read;
    for (const column of this.#leftOut) {
      if (this.#statusIn(cells, column) !== 'unpaid') continue;
      const how = 'say status=COLUMN in --map, and paid=WORD where such lines were paid';
      return { kind: 'unknown', problem: `${said(cells, column)}, and is not looked at: ${how}` };
    }
    return PAID;
  }

  /** The same few words stand in all lines. */
  #statusIn(cells: readonly string[], { index, name }: PlannedColumn): PaymentStatus | null {
    const cell = cells[index] ?? '';
    const key = `${String(index)} ${cell}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const status = statusOf(plainText(cell), this.#words, questionIn(name));
    if (this.#known.size < WORDS_KEPT) this.#known.set(key, status);
    return status;
  }

  #ownOf(cells: readonly string[], column: PlannedColumn): StatusRead {
    const status = this.#statusIn(cells, column);
    if (status === 'paid') return PAID;
    if (status === null) {
      const how = 'in --map say paid=WORD or unpaid=WORD, several as WORD|WORD, or leave status out';
      return {
        kind: 'unknown',
        problem: `${said(cells, column)}, which says neither paid nor not paid: ${how}`,
      };
    }
    if (this.#unpaid.size < WORDS_KEPT) this.#unpaid.add(plainText(cells[column.index] ?? ''));
    return { kind: 'unpaid', why: `${said(cells, column)}: not paid` };
  }
}

/** `"Estado" says "ANULADO"` */
function said(cells: readonly string[], { index, name }: PlannedColumn): string {
  const column = JSON.stringify(name === '' ? `column ${String(index + 1)}` : name);
  return `${column} says ${excerpt(plainText(cells[index] ?? ''))}`;
}

/** Whether a line with that word counts. */
type PaymentStatus = 'paid' | 'unpaid';

export const NO_WORDS: StatusWords = { paid: [], unpaid: [] };

/** Only as the whole text: `pagado y devuelto` is not paid. */
const PAID_WORDS = new Set(
  list(
    'paid, pagado, pagada, pago, paga, ok, si, yes, success, successful, succeeded, exitoso, exitosa, exito, con exito, sucesso, com sucesso, complete, completed, completado, completada, completo, completa, confirmed, confirmado, confirmada, approved, aprobado, aprobada, aprovado, aprovada, processed, procesado, procesada, processado, processada, executed, ejecutado, ejecutada, executado, executada, settled, liquidado, liquidada, cleared, compensado, compensada, posted, booked, contabilizado, contabilizada, asentado, asentada, applied, aplicado, aplicada, credited, acreditado, acreditada, creditado, creditada, abonado, abonada, debitado, debitada, cobrado, cobrada, done, finished, finalizado, finalizada, concluido, concluida, realizado, realizada, efectuado, efectuada, efetuado, efetuada, efetivado, efetivada, efectivo, conciliado, conciliada, operacion exitosa, transaccion exitosa, pago exitoso, pago procesado, transferencia exitosa',
  ),
);
/** Wherever it stands, unless a denial stands before it. */
const UNPAID_WORDS = new Set(
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

/**
 * What the word means: as was said of it, else as banks use it; null where nobody knows. A cell that is empty says nothing, and its line was paid.
 * @param yes what an answer of yes says, where the column's name is a question
 */
function statusOf(text: string, said: StatusWords, yes: PaymentStatus | null): PaymentStatus | null {
  const word = folded(text);
  if (said.unpaid.some((one) => folded(one) === word)) return 'unpaid';
  if (said.paid.some((one) => folded(one) === word)) return 'paid';
  if (yes !== null && YES.has(word)) return yes;
  if (yes !== null && NO.test(word)) return yes === 'paid' ? 'unpaid' : 'paid';
  if (word === '' || PAID_WORDS.has(word)) return 'paid';
  if (WHOLE_UNPAID.has(word)) return 'unpaid';
  const parts = word.split(' ');
  if (parts.some((part) => DENIALS.has(part))) return null;
  return parts.some((part) => UNPAID_WORDS.has(part)) ? 'unpaid' : null;
}

const YES = new Set(list('si, s, yes, y, x, true, verdadero, v, 1, sim'));
/** An amount of nothing, too. */
const NO = /^(?:no|n|false|falso|f|nao|0[0 ]*)$/;

/** What yes says in a column of that name: `Anulado`, `Importe devuelto` or `Pagado`. */
function questionIn(name: string): PaymentStatus | null {
  const word = folded(name);
  if (word.split(' ').some((part) => UNPAID_WORDS.has(part))) return 'unpaid';
  return PAID_WORDS.has(word) ? 'paid' : null;
}

/** Without case, accents and marks; a text that is nothing but marks stays. */
function folded(text: string): string {
  const plain = unaccented(text).trim();
  return plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim() || plain;
}

function list(words: string): readonly string[] {
  return words.split(', ');
}
