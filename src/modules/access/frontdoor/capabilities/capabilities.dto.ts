import { Flag, Nested } from '../../../../common/fields/fields.js';

export class ProofCapabilities {
  @Flag({ about: 'Whether proofs are switched on, and part of the tier.' })
  enabled!: boolean;

  @Flag({ about: 'POST /v1/proof/jobs' })
  canCreateJob!: boolean;

  @Flag({ about: 'GET /v1/proof/jobs/:id' })
  canReadJob!: boolean;

  @Flag({ about: 'GET /v1/proof/jobs/:id/chunks' })
  canReadChunks!: boolean;

  @Flag({ about: 'GET /v1/proof/jobs/:id/receipt' })
  canReadReceipt!: boolean;
}

export class WatchCapabilities {
  @Flag({ about: 'Whether watches are switched on, and part of the tier.' })
  enabled!: boolean;

  @Flag({ about: 'POST /v1/watches' })
  canCreate!: boolean;

  @Flag({ about: 'GET /v1/watches' })
  canList!: boolean;

  @Flag({ about: 'DELETE /v1/watches/:id' })
  canRevoke!: boolean;

  @Flag({ about: 'GET /v1/watches/:id/alerts' })
  canListAlerts!: boolean;
}

export class TeamCapabilities {
  @Flag({ about: 'Whether seats are part of the tier: they are, of every one.' })
  enabled!: boolean;

  @Flag({ about: 'GET /v1/org/seats' })
  canListSeats!: boolean;

  @Flag({ about: 'POST /v1/org/invite' })
  canInviteSeat!: boolean;

  @Flag({ about: 'PUT /v1/org/seats/:id' })
  canChangeSeatRole!: boolean;

  @Flag({ about: 'DELETE /v1/org/seats/:id' })
  canRevokeSeat!: boolean;

  @Flag({ about: 'POST /v1/org/bootstrap-owner' })
  canBootstrapOwner!: boolean;
}

export class FrontdoorSessionCapabilities {
  @Nested({ about: 'Proof jobs and their receipts.', type: () => ProofCapabilities })
  proof!: ProofCapabilities;

  @Nested({ about: 'Watches and their alerts.', type: () => WatchCapabilities })
  watch!: WatchCapabilities;

  @Nested({ about: 'Seats of the tenant.', type: () => TeamCapabilities })
  team!: TeamCapabilities;
}
