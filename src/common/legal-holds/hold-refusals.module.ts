import { Global, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { HoldRefusalInterceptor } from './hold-refusal.interceptor.js';
import { HoldRefusals } from './hold-refusals.service.js';

/** What legal holds refuse, answered and receipted, in every app that writes content. The daemon places them. */
@Global()
@Module({
  providers: [HoldRefusals, { provide: APP_INTERCEPTOR, useClass: HoldRefusalInterceptor }],
  exports: [HoldRefusals],
})
export class HoldRefusalsModule {}
