"""The demo model's sentences. It answers in the language of the question, not in that of the site."""

from dataclasses import dataclass
from datetime import datetime

CHINESE_WEEKDAYS = "一二三四五六日"


@dataclass(frozen=True)
class Texts:
    """One language's sentences; the methods fill in what is missing."""

    looking_up: str
    greeting: str
    tools_offered: str
    connecting: str
    footer: str
    clock_line: str
    calculation_line: str
    result_line: str
    failure_line: str

    def introduction(self, question: str, has_tools: bool) -> str:
        offer = [self.tools_offered] if has_tools else []
        quoted = f"> {question}" if question else ""
        return "\n\n".join(filter(None, [self.greeting, quoted, *offer, self.connecting]))

    def clock(self, moment: str, weekday: str, zone: str) -> str:
        at = datetime.fromisoformat(moment)
        day = f"星期{CHINESE_WEEKDAYS[at.weekday()]}" if self is CHINESE else weekday
        return self.clock_line.format(
            clock=f"{at:%H:%M:%S}", date=f"{at:%Y-%m-%d}", day=day, zone=zone
        )

    def calculation(self, expression: str, value: str) -> str:
        return self.calculation_line % (expression, value)

    def result(self, tool: str, content: str) -> str:
        return self.result_line % (tool, content)

    def failure(self, tool: str, message: str) -> str:
        return self.failure_line % (tool, message)


ENGLISH = Texts(
    looking_up="Let me look that up. ",
    greeting="Hello! I am the **demo model**: I show how the platform works, but I cannot really think. You wrote:",
    tools_offered="I can call tools, though. Try:\n\n- *What time is it?*\n- *Calculate (17 + 25) * 3*",
    connecting=(
        "To talk to a real model, an operator connects one:\n\n"
        "1. Open the admin and go to **Models → Model providers**.\n"
        "2. Add a provider with its base URL and API key, and press **Test connection**.\n"
        "3. Add a **language model**, choose it in the App and publish."
    ),
    footer="*I am the demo model. Connect a real one in the admin under Models → Model providers.*",
    clock_line="- It is **{clock}** on {day}, {date} ({zone}).",
    calculation_line="- `%s` = **%s**",
    result_line="- `%s` says: %s",
    failure_line="- `%s` did not work: %s",
)

CHINESE = Texts(
    looking_up="让我查一下。",
    greeting="你好！我是**演示模型**：我可以展示平台如何工作，但并不会真正思考。你写的是：",
    tools_offered="不过我会调用工具，可以试试：\n\n- *现在几点？*\n- *计算 (17 + 25) * 3*",
    connecting=(
        "要与真正的模型对话，请管理员接入一个：\n\n"
        "1. 打开管理后台，进入**模型 → 模型供应商**。\n"
        "2. 添加供应商，填写接口地址和 API 密钥，然后点击**测试连接**。\n"
        "3. 添加一个**语言模型**，在应用中选用它并发布。"
    ),
    footer="*我是演示模型。请在管理后台的“模型 → 模型供应商”中接入真正的模型。*",
    clock_line="- 现在是 **{clock}**，{date}，{day}（{zone}）。",
    calculation_line="- `%s` = **%s**",
    result_line="- `%s` 返回：%s",
    failure_line="- `%s` 没有成功：%s",
)
