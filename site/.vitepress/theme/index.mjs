// VitePress's default theme, in Tenon's colours.
import DefaultTheme from "vitepress/theme";
import "./style.css";

export default DefaultTheme;
