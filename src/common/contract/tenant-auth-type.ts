/** How a caller of the tenant API was authenticated; `delegated`: by the memory daemon, which says so. */
export type TenantAuthType = 'api_key' | 'seat' | 'agent' | 'delegated';
