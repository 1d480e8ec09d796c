/** How much a program that was started here may do live: what the lock in its environment says. Pure. */

/** `sandbox`: nothing live, no reads either. `read-only`: live reads alone. */
export type Lock = 'sandbox' | 'read-only';
