/** The JSON schemas of everything that commands print, by name. Objects that svc makes are open: another version may add members. */
import { COMPONENTS } from '../../contract/openapi/components.js';
import type { JsonSchema } from '../../contract/openapi/json-schema.js';
import type { ShapeName } from '../../command/printed-name.js';
import { BATCH_SHAPES } from './printed/batches.js';
import { MACHINE_SHAPES } from './printed/machine.js';
import { PAYMENT_SHAPES } from './printed/payments.js';
import { SANDBOX_SHAPES } from './printed/sandbox.js';

/** All schemas, those of the contract first. `SHAPES` does not compile if a schema is missing. */
export const SHAPES: Readonly<Record<ShapeName, JsonSchema>> = {
  ...COMPONENTS,
  ...BATCH_SHAPES,
  ...MACHINE_SHAPES,
  ...PAYMENT_SHAPES,
  ...SANDBOX_SHAPES,
};
