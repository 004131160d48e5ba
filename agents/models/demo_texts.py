"""The demo model's sentences. It answers in the language of the question, not in that of the site."""

from dataclasses import dataclass
from datetime import datetime

CHINESE_WEEKDAYS = "一二三四五六日"


@dataclass(frozen=True)
class Texts:
    """One language's sentences; the methods fill in what is missing."""

    looking_up: str
    greeting: str
    story: str
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
    story=(
        "## The five players of the harbour\n\n"
        "Once there was a small harbour town where five musicians shared one attic. The first fiddle loved to begin, "
        "the second loved to answer, the viola kept the peace, the cello kept the time, and the bass, who spoke least, "
        "knew the way home.\n\n"
        "One winter evening the fog came in so thick that the lighthouse disappeared, and with it the way into the "
        "harbour. Far out, the fishing boats rang their bells. Nobody on the quay knew what to do.\n\n"
        "“We cannot shine,” said the bass, “but we can be heard.” So they carried chairs and instruments to the "
        "end of the pier and played. The first fiddle threw a line of notes over the water, the second caught it and "
        "threw it further; the viola filled the gaps, and under it all the cello and the bass walked slowly, step by "
        "step, like somebody with a lantern.\n\n"
        "One by one the boats turned their bows to the music. They came in *slow and whole*, and the last of them tied up "
        "just as the final chord was fading.\n\n"
        "Since then, whenever the fog comes, five chairs stand at the end of the pier. And that, dear listener, is why "
        "the town calls its lighthouse **the quintet**."
    ),
    tools_offered="I can call tools, though. Try:\n\n- *What time is it?*\n- *Calculate (17 + 25) * 3*",
    connecting=(
        "To talk to a real model, an operator connects one:\n\n"
        "1. Open the admin and go to **Assets → Model providers**.\n"
        "2. Add a provider with its base URL and API key, and press **Test connection**.\n"
        "3. Add a **language model**, choose it in the App and publish."
    ),
    footer="*I am the demo model. Connect a real one in the admin under Assets → Model providers.*",
    clock_line="- It is **{clock}** on {day}, {date} ({zone}).",
    calculation_line="- `%s` = **%s**",
    result_line="- `%s` says: %s",
    failure_line="- `%s` did not work: %s",
)

CHINESE = Texts(
    looking_up="让我查一下。",
    greeting="你好！我是**演示模型**：我可以展示平台如何工作，但并不会真正思考。你写的是：",
    story=(
        "## 港口的五位乐手\n\n"
        "从前有一座小小的港口城镇，五位乐手合住在一间阁楼里。第一小提琴总爱开头，第二小提琴总爱应答，中提琴负责让大家和睦，"
        "大提琴负责守住节拍，而低音提琴话最少，却总认得回家的路。\n\n"
        "一个冬天的傍晚，浓雾漫进港口，灯塔看不见了，进港的航道也看不见了。远处的渔船一声声敲着钟，码头上的人谁也不知道该怎么办。\n\n"
        "“我们不会发光，”低音提琴说，“但我们可以让人听见。”于是他们把椅子和乐器搬到防波堤的尽头，在雾里演奏起来。"
        "第一小提琴把一串音符抛向海面，第二小提琴接住它，再抛得更远；中提琴填满其间的空隙，大提琴和低音提琴在下面一步一步地走，"
        "像一个提着灯笼的人。\n\n"
        "渔船一艘接一艘地把船头转向音乐传来的方向，*慢慢地、平平安安地*驶了回来。最后一艘船系好缆绳的时候，"
        "最后一个和弦刚刚消散。\n\n"
        "从那以后，每当起雾，防波堤的尽头就会摆好五把椅子。亲爱的听众，这就是为什么城里的人把他们的灯塔叫作**五重奏**。"
    ),
    tools_offered="不过我会调用工具，可以试试：\n\n- *现在几点？*\n- *计算 (17 + 25) * 3*",
    connecting=(
        "要与真正的模型对话，请管理员接入一个：\n\n"
        "1. 打开管理后台，进入**资源 → 模型服务商**。\n"
        "2. 添加供应商，填写接口地址和 API 密钥，然后点击**测试连接**。\n"
        "3. 添加一个**语言模型**，在应用中选用它并发布。"
    ),
    footer="*我是演示模型。请在管理后台的“资源 → 模型服务商”中接入真正的模型。*",
    clock_line="- 现在是 **{clock}**，{date}，{day}（{zone}）。",
    calculation_line="- `%s` = **%s**",
    result_line="- `%s` 返回：%s",
    failure_line="- `%s` 没有成功：%s",
)
