import { COMPONENTS } from '../../contract/openapi/components.js';
import type { JsonSchema } from '../../contract/openapi/json-schema.js';
import type { ShapeName } from '../../command/shape-names.js';
import { BATCH_SHAPES } from '../../batches/printed.js';
import { MACHINE_SHAPES } from '../printed.js';
import { PAYMENT_SHAPES } from '../../payments/printed.js';
import { SANDBOX_SHAPES } from '../../sandbox/printed.js';
import { EVENT_SHAPES } from '../../events/printed.js';
import { RECONCILE_SHAPES } from '../../reconcile/printed.js';

export const SHAPES: Readonly<Record<ShapeName, JsonSchema>> = {
  ...COMPONENTS,
  ...BATCH_SHAPES,
  ...MACHINE_SHAPES,
  ...PAYMENT_SHAPES,
  ...EVENT_SHAPES,
  ...RECONCILE_SHAPES,
  ...SANDBOX_SHAPES,
};
