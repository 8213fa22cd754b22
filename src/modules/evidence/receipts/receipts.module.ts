import { Module } from '@nestjs/common';
import { ReceiptListStore } from './receipt-list.store.js';
import { ReceiptsController } from './receipts.controller.js';
import { ReceiptsService } from './receipts.service.js';

/**
 * The receipts of a tenant as the daemon shows them: listed and counted, one by one in their own forms and in those of
 * standards, with their signatures, and verified again on every call.
 */
@Module({
  controllers: [ReceiptsController],
  providers: [ReceiptsService, ReceiptListStore],
  exports: [ReceiptsService],
})
export class ReceiptsModule {}
