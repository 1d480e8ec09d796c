/**
 * The JSON schemas of everything that commands print, by name. Objects that svc makes are open: another version may add members. A name without
 * a schema does not compile.
 */
import { COMPONENTS } from '../../schema/components.js';
import type { JsonSchema } from '../../schema/json-schema.js';
import type { PrintedName, ShapeName } from '../../schema/printed-name.js';
import { BATCH_SHAPES } from './printed/batches.js';
import { MACHINE_SHAPES } from './printed/machine.js';
import { PAYMENT_SHAPES } from './printed/payments.js';
import { SANDBOX_SHAPES } from './printed/sandbox.js';

const PRINTED: Readonly<Record<PrintedName, JsonSchema>> = {
  ...BATCH_SHAPES,
  ...MACHINE_SHAPES,
  ...PAYMENT_SHAPES,
  ...SANDBOX_SHAPES,
};

/** All schemas, those of the contract first. */
export const SHAPES: Readonly<Record<ShapeName, JsonSchema>> = { ...COMPONENTS, ...PRINTED };
