import { Module } from '@nestjs/common';
import { CostController } from './cost.controller.js';
import { CostService } from './cost.service.js';
import { Prices } from './prices.service.js';
import { UsageStore } from './usage.store.js';

/**
 * What models were used for, and how much: reported by whoever uses them, each event once, and added up by day, model,
 * passport, project and surface (memory-daemon.md 4.11; D71). Money only by a price list of the operator.
 */
@Module({ controllers: [CostController], providers: [CostService, UsageStore, Prices] })
export class CostModule {}
