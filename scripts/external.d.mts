export const externalPackages: string[];
