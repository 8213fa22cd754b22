import { tool } from '../../../common/contract/tool-declaration.js';
import { OfTenant, ReceiptEnvelope, ReceiptPath, VerificationReport } from './receipts.dto.js';

export const RECEIPT_TOOLS = [
  tool('record_receipt_lookup', {
    title: 'Look a receipt up',
    description: 'Reads the evidence of something that happened, by the id of its receipt.',
    route: 'GET /v1/receipts/:receiptId',
    path: ReceiptPath,
    query: OfTenant,
    answer: ReceiptEnvelope,
    isRead: true,
  }),
  tool('verify_receipt', {
    title: 'Verify a receipt',
    description:
      'Checks a receipt: its signature, its place in the chain of the tenant, and that it is in the transparency log. A receipt is tamper-evidence, not proof that what it says was done.',
    route: 'GET /v1/receipts/:receiptId/verification',
    path: ReceiptPath,
    query: OfTenant,
    answer: VerificationReport,
    isRead: true,
  }),
];
