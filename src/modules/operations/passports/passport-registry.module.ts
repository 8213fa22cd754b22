import { Module } from '@nestjs/common';
import { PassportRegistry } from './passport-registry.service.js';

/** Which passports are registered, for modules whose records name one. */
@Module({ providers: [PassportRegistry], exports: [PassportRegistry] })
export class PassportRegistryModule {}
