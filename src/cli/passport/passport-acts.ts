import type { INestApplicationContext } from '@nestjs/common';
import { OPERATOR } from '../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../common/tenancy/tenancy.js';
import type {
  MintedPassport,
  MintRequest,
  MintRequestReply,
} from '../../modules/operations/passports/mint-requests.dto.js';
import { MintRequestRowsService, type Decider } from '../../modules/operations/passports/mint-request-rows.service.js';
import { PassportRowsService } from '../../modules/operations/passports/passport-rows.service.js';
import type {
  Passport,
  PassportReply,
  RegisterPassport,
  RevokedPassport,
} from '../../modules/operations/passports/passports.dto.js';
import { MintRequestUnknown, PassportNotRegistered } from '../../modules/operations/passports/passports.problems.js';
import type { MintStatus, PassportKind, PassportState } from '../../modules/operations/passports/passports.types.js';
import { readAllPages } from '../all-pages.js';
import { checkTenant } from '../memory/tenant-there.js';
import { asOperator } from '../operator.js';
import { UserError } from '../output.js';

export interface PassportFilter {
  kind?: PassportKind;
  state?: PassportState;
}

/** All of them. @throws UserError */
export const listPassports = (tenant: string, filter: PassportFilter): Promise<Passport[]> =>
  inTenant(tenant, (services) => {
    const rows = services.get(PassportRowsService);
    return readAllPages(
      (page) => rows.list({ ...filter, ...page }),
      ({ passports }) => passports,
    );
  });

/** @throws UserError */
export const showPassport = (tenant: string, passportId: string): Promise<PassportReply> =>
  inTenant(tenant, (services) => services.get(PassportRowsService).read(passportId));

/** @throws UserError */
export const registerPassport = (
  tenant: string,
  request: Omit<RegisterPassport, 'tenant_id'>,
): Promise<PassportReply> =>
  inTenant(tenant, (services) => services.get(PassportRowsService).register(OPERATOR, request));

/** @throws UserError */
export const revokePassport = (tenant: string, passportId: string, reason?: string): Promise<RevokedPassport> =>
  inTenant(tenant, (services) => services.get(PassportRowsService).revoke(OPERATOR, passportId, reason));

/** All of them, newest first. @throws UserError */
export const listMintRequests = (tenant: string, status: MintStatus): Promise<MintRequest[]> =>
  inTenant(tenant, (services) => {
    const rows = services.get(MintRequestRowsService);
    return readAllPages(
      (page) => rows.list({ status, ...page }),
      ({ mint_requests }) => mint_requests,
    );
  });

/** @throws UserError */
export const approveMintRequest = (tenant: string, requestId: string, reason?: string): Promise<MintedPassport> =>
  inTenant(tenant, (services) => services.get(MintRequestRowsService).approve(decider(reason), requestId));

/** @throws UserError */
export const rejectMintRequest = (tenant: string, requestId: string, reason?: string): Promise<MintRequestReply> =>
  inTenant(tenant, (services) => services.get(MintRequestRowsService).reject(decider(reason), requestId));

const decider = (reason: string | undefined): Decider => ({
  ...{ actor: OPERATOR, party: { passport: undefined, principal: OPERATOR.principal } },
  reason,
});

const inTenant = <T>(tenant: string, work: (services: INestApplicationContext) => Promise<T>): Promise<T> =>
  asOperator(async (services) => {
    await checkTenant(services, tenant);
    try {
      return await services.get(Tenancy).run(tenant, () => work(services));
    } catch (error) {
      throw inCommands(tenant, error);
    }
  });

/** What names nothing is said with the command that lists what there is, not with the route. */
function inCommands(tenant: string, error: unknown): unknown {
  if (error instanceof PassportNotRegistered)
    return new UserError(
      `No passport ${String(error.facts['passport_id'])} is registered in ${tenant}; svc passport list --tenant ${tenant} shows those that are`,
    );
  if (error instanceof MintRequestUnknown)
    return new UserError(
      `There is no request ${String(error.facts['mint_request_id'])} in ${tenant}; svc passport requests --tenant ${tenant} shows those that are pending`,
    );
  return error;
}
