// A YAML file imported as its text.
declare module "*.yaml?raw" {
  const text: string;
  export default text;
}
