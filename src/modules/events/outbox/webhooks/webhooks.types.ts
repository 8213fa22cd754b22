export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** An endpoint that is created for another module. */
export interface NewEndpoint {
  url: string;
  /** Only alerts of this watch. */
  watchId?: string;
  kinds?: string[];
  description?: string;
}

/** What is shown of a new endpoint, once. */
export interface EndpointSecret {
  webhookId: string;
  secret: string;
}
