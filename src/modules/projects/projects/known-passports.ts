import { Inject, Injectable, Optional } from '@nestjs/common';
import { PassportUnknown } from './projects.problems.js';

/** The registry of passports (D71), where the app has one: whatever opens it provides it by this. */
const PASSPORT_REGISTRY = Symbol('the registry of passports');
interface PassportRegistry {
  /** In the open unit of work: whether the tenant has registered any. */
  isUsed(): Promise<boolean>;
  has(passportId: string): Promise<boolean>;
}

/** Whether the passports that projects name are there. None is looked for until one is registered (D65). */
@Injectable()
export class KnownPassports {
  constructor(@Optional() @Inject(PASSPORT_REGISTRY) private readonly registry?: PassportRegistry) {}

  /** @throws PassportUnknown */
  async check(passportId: string | null | undefined): Promise<void> {
    if (!passportId || !this.registry || !(await this.registry.isUsed())) return;
    if (await this.registry.has(passportId)) return;
    throw new PassportUnknown({ passport_id: passportId }, 'Register it, or name one that is registered');
  }
}
