import { Module } from '@nestjs/common';
import { ReceiptListStore } from './receipt-list.store.js';
import { ReceiptsController } from './receipts.controller.js';
import { ReceiptsService } from './receipts.service.js';

/**
 * The receipts of a tenant as the daemon shows them: listed and counted, one by one in three forms, with their
 * signatures, and verified again on every call.
 */
@Module({
  controllers: [ReceiptsController],
  providers: [ReceiptsService, ReceiptListStore],
})
export class ReceiptsModule {}
