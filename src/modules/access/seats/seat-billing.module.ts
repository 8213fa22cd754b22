import { Module } from '@nestjs/common';
import { SeatBillingService } from './seat-billing.service.js';
import { SeatsStore } from './seats.store.js';

/** What the seats of a tenant cost beyond those of its tier: for the seats, the dashboard and a change of tier. */
@Module({ providers: [SeatBillingService, SeatsStore], exports: [SeatBillingService, SeatsStore] })
export class SeatBillingModule {}
