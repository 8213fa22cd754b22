import { Option } from 'commander';

/** The tenant of a command that never guesses it. @param about whose what it is */
export const tenantOption = (about: string): Option => new Option('--tenant <tenant>', about).makeOptionMandatory();
