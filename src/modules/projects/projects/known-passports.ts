import { Injectable } from '@nestjs/common';
import { PassportRegistry } from '../../operations/passports/passport-registry.service.js';
import { PassportUnknown } from './projects.problems.js';

/** Whether the passports that projects name are there. None is looked for until one is registered (D65). */
@Injectable()
export class KnownPassports {
  constructor(private readonly registry: PassportRegistry) {}

  /** In the open unit of work. @throws PassportUnknown, also for one that was revoked */
  async check(passportId: string | null | undefined): Promise<void> {
    if (!passportId || !(await this.registry.isUsed())) return;
    if (await this.registry.has(passportId)) return;
    throw new PassportUnknown({ passport_id: passportId }, 'Register it, or name one that is registered');
  }
}
