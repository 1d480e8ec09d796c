/** One authorised request on its way to its endpoint, and what an endpoint makes of it. */
import type { Creator } from '../../contract/operation.js';
import type { BankVerdict, Context } from '../machine/types.js';
import { contextAt, type World } from '../engine/world.js';
import type { Note } from '../log/request-log.js';
import type { HttpRefusal, SandboxRequest } from '../message.js';
import type { StoredCompany } from '../store/companies.js';

export interface EndpointCall {
  readonly world: World;
  readonly request: SandboxRequest;
  /** What the log is to know of it. */
  readonly note: Note;
  readonly company: StoredCompany;
  /** Whose key it is: that of the company, or of an operator who works for it. */
  readonly createdBy: Creator;
  /** Sandbox time in ms, to which everything was brought already. */
  readonly nowMs: number;
  /** What stands for `{id}` in the path, as sent. */
  readonly id: string;
  /** The query, as sent. */
  readonly query: string;
  /** Spends the armed `outcome` fault, where there is one for this endpoint. */
  readonly takeVerdict: () => BankVerdict | null;
}

/** The JSON of a success, or why there is none. Nothing is written before the last reason to refuse is checked. */
export type EndpointHandler = (call: EndpointCall) => string | HttpRefusal;

/** What the machine may know during a call. */
export function contextOf({ world, company, nowMs, takeVerdict }: EndpointCall): Context {
  return contextAt(world, company.environment, nowMs, takeVerdict);
}
