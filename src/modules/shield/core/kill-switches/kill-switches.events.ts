/** Kinds of the events and receipts of kill switches. */
export const SWITCH_SET = 'shield.kill_switch_set';
export const SWITCH_LIFTED = 'shield.kill_switch_lifted';
