import { problem } from '../../../common/problem/problem.js';

export class KillSwitchUnknown extends problem<{ killSwitchId: string }>(
  404,
  'KillSwitchUnknown',
  'There is no such kill switch',
) {}
export class KillSwitchLifted extends problem<{ killSwitchId: string }>(
  409,
  'KillSwitchLifted',
  'The kill switch was lifted before',
) {}
export class KillSwitchOnCaller extends problem<{ killSwitchId: string }>(
  403,
  'KillSwitchOnCaller',
  'Whom a kill switch stops does not lift it',
) {}
export class ApprovalUnknown extends problem<{ approvalRequestId: string }>(
  404,
  'ApprovalUnknown',
  'There is no such approval request',
) {}
export class ApprovalNotPending extends problem<{ approvalRequestId: string; approvalStatus: string }>(
  409,
  'ApprovalNotPending',
  'The approval request is not pending any more',
) {}
export class SeparationOfDuties extends problem<{ approvalRequestId: string }>(
  403,
  'SeparationOfDuties',
  'Nobody decides on a request of their own',
) {}
export class UiIntegrityUnknown extends problem<{ uiIntegritySessionId: string }>(
  404,
  'UiIntegrityUnknown',
  'There is no such UI-integrity session',
) {}
export class UiIntegrityRequired extends problem<{ approvalRequestId: string }>(
  403,
  'UiIntegrityRequired',
  'This tenant resolves approval requests with a UI-integrity session alone',
) {}
export class UiIntegrityMismatch extends problem<{ uiIntegritySessionId: string }>(
  409,
  'UiIntegrityMismatch',
  'What was signed off is not what this session showed',
) {}
export class PublisherUnknown extends problem<{ publisherId: string }>(
  404,
  'PublisherUnknown',
  'There is no such publisher',
) {}
export class PublisherRevoked extends problem<{ publisherId: string }>(
  409,
  'PublisherRevoked',
  'The publisher is revoked',
) {}
export class ServerUnknown extends problem<{ serverId: string }>(404, 'ServerUnknown', 'There is no such server') {}
export class DigestRevoked extends problem<{ digest: string }>(
  409,
  'DigestRevoked',
  'The tool definition is revoked',
) {}
