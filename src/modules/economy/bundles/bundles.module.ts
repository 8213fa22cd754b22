import { Module } from '@nestjs/common';
import { EconomyModule } from '../ledger/economy.module.js';
import { BundlesController } from './bundles.controller.js';
import { BundlesService } from './bundles.service.js';
import { BundlesStore } from './bundles.store.js';
import { PurchasesService } from './purchases.service.js';
import { PurchasesStore } from './purchases.store.js';

/**
 * Bundles of corpora: what tenants offer each other, and the purchases that entitle a tenant to another's entitled_only
 * documents.
 */
@Module({
  imports: [EconomyModule],
  controllers: [BundlesController],
  providers: [BundlesService, BundlesStore, PurchasesService, PurchasesStore],
})
export class BundlesModule {}
